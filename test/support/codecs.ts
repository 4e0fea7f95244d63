/** Every codec over every library that can run here, and inputs to try them with. */
import * as zlib from 'node:zlib'
import { gzipCodec } from '../../lib/backend/codecs/gzip.js'
import { lz4From } from '../../lib/backend/codecs/lz4.js'
import { bestXxh32, nativeLz4, scriptLz4 } from '../../lib/backend/codecs/lz4-libraries.js'
import { nativeSnappy, scriptSnappy, snappyFrom } from '../../lib/backend/codecs/snappy.js'
import { zstdFrom } from '../../lib/backend/codecs/zstd.js'
import { wasmZstd, zlibWithZstd, zlibZstd } from '../../lib/backend/codecs/zstd-libraries.js'
import { PartitionLogError } from '../../lib/errors.js'
import type { Codec, DecompressLimits } from '../../lib/format/compression.js'
import { xxh32 } from '../../lib/format/xxh32.js'

export async function everyCodec(): Promise<Codec[]> {
  const zstdOfNode = zlibWithZstd()
  return [
    gzipCodec(),
    snappyFrom(await nativeSnappy()),
    snappyFrom(await scriptSnappy()),
    lz4From(await nativeLz4(), await bestXxh32()),
    lz4From(await scriptLz4(), (bytes) => xxh32(bytes)),
    zstdFrom(await wasmZstd()),
    ...(zstdOfNode === undefined ? [] : [zstdFrom(zlibZstd(zstdOfNode))]),
  ]
}

export function upTo(maxBytes: number, magic: 0 | 1 | 2 = 2): DecompressLimits {
  return { maxBytes, magic }
}

/** Bytes that no codec can make smaller, always the same for one seed. */
export function noise(length: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(length)
  let state = seed
  for (let at = 0; at < length; at++) {
    state = (Math.imul(state, 1103515245) + 12345) | 0
    bytes[at] = state >>> 16
  }
  return bytes
}

/** Log lines, as users have them. */
export function lines(length: number): Buffer {
  const line = (n: number) =>
    `{"n":${n},"level":"info","user":"u${(n * 7919) % 1000}","ms":${(n * 104729) % 9973}}\n`
  const count = Math.ceil(length / 40)
  return Buffer.from(Array.from({ length: count }, (_, n) => line(n)).join('')).subarray(0, length)
}

/** What `run` throws; fails the test where it throws nothing or no error of ours. */
export function ourError(run: () => unknown): PartitionLogError {
  try {
    run()
  } catch (error) {
    if (error instanceof PartitionLogError) return error
    throw new Error(`not an error of ours: ${error}`, { cause: error })
  }
  throw new Error('nothing was thrown')
}

/** `count` bytes of zeros as gzip, without having them in memory at once. */
export function gzipOfZeros(count: number): Promise<Buffer> {
  const piece = Buffer.alloc(1 << 20)
  const gzip = zlib.createGzip({ level: 9 })
  const parts: Buffer[] = []
  gzip.on('data', (part: Buffer) => parts.push(part))
  return new Promise((resolve, reject) => {
    gzip.on('error', reject).on('end', () => resolve(Buffer.concat(parts)))
    let left = count
    const feed = (): void => {
      if (left <= 0) return void gzip.end()
      const part = piece.subarray(0, Math.min(piece.length, left))
      left -= part.length
      gzip.write(part, feed)
    }
    feed()
  })
}
