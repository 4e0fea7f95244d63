/**
 * gzip over `node:zlib`: one member written, any number read.
 *
 * Async calls run on zlib's thread pool. Output is bounded by zlib itself,
 * which stops as soon as the limit is passed; the size that a gzip trailer
 * declares is used only to choose the size of the output pieces.
 */

import { constants } from 'node:buffer'
import * as zlib from 'node:zlib'
import { PartitionLogError } from '../../errors.js'
import type { Codec, DecompressLimits } from '../../format/compression.js'
import { badCompression, compressionLevel, tooLarge } from '../../format/compression.js'

const MIN_PIECE = 1024
const MAX_PIECE = 1 << 20

/** The codec; needs nothing but Node. */
export function gzipCodec(): Codec {
  return {
    name: 'gzip',
    library: 'node:zlib',
    compress: (bytes, level) => zlib.gzipSync(bytes, compressOptions(bytes, level)),
    compressAsync: async (bytes, level) =>
      settled((done) => zlib.gzip(bytes, compressOptions(bytes, level), done)),
    decompress(bytes, limits) {
      try {
        return checked(zlib.gunzipSync(bytes, decompressOptions(bytes, limits)), limits)
      } catch (error) {
        throw translated(error, limits)
      }
    },
    async decompressAsync(bytes, limits) {
      try {
        const result = await settled((done) => zlib.gunzip(bytes, decompressOptions(bytes, limits), done))
        return checked(result, limits)
      } catch (error) {
        throw translated(error, limits)
      }
    },
  }
}

type Callback = (error: Error | null, result: Buffer) => void

function settled(start: (done: Callback) => void): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    start((error, result) => (error === null ? resolve(result) : reject(error)))
  })
}

function compressOptions(bytes: Uint8Array, level: number | undefined): zlib.ZlibOptions {
  return { level: compressionLevel('gzip', level), chunkSize: piece(bytes.length / 2) }
}

function decompressOptions(bytes: Uint8Array, limits: DecompressLimits): zlib.ZlibOptions {
  // zlib takes no limit of 0; `checked` catches the one byte that it then lets through.
  const maxOutputLength = Math.max(1, Math.min(limits.maxBytes, constants.MAX_LENGTH))
  return { maxOutputLength, chunkSize: piece(Math.min(declaredSize(bytes) + 1, maxOutputLength)) }
}

/** What the last member's trailer declares (modulo 2^32): a hint, never believed. */
function declaredSize(bytes: Uint8Array): number {
  if (bytes.length < 18) return 0
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return view.getUint32(bytes.length - 4, true)
}

function piece(size: number): number {
  return Math.min(MAX_PIECE, Math.max(MIN_PIECE, Math.ceil(size)))
}

function checked(result: Uint8Array, limits: DecompressLimits): Uint8Array {
  if (result.length > limits.maxBytes) throw tooLarge('gzip', limits)
  return result
}

function translated(error: unknown, limits: DecompressLimits): unknown {
  if (error instanceof PartitionLogError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge('gzip', limits) : badCompression('gzip', message, error)
}
