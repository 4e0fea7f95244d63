/**
 * The packages behind the lz4 codec: `lz4-napi`, `lz4js`, and for checksums
 * `xxhash-addon` or our own XXH32.
 */

import { lz4BlockShape } from '../../format/lz4-block.js'
import { xxh32 } from '../../format/xxh32.js'
import { importPackage } from './library.js'
import type { Lz4Library, Xxh32 } from './lz4.js'

interface NativeModule {
  compressSync(bytes: Uint8Array): Uint8Array
  compress(bytes: Uint8Array): Promise<Uint8Array>
  uncompressSync(block: Uint8Array): Uint8Array
  uncompress(block: Uint8Array): Promise<Uint8Array>
}

/** `lz4-napi` puts the output's length (uint32 LE) in front of a block. */
const PREFIX_BYTES = 4

/** The package `lz4-napi` (native, async on libuv's pool). */
export async function nativeLz4(): Promise<Lz4Library> {
  const module = (await importPackage('lz4-napi')) as NativeModule
  return {
    library: 'lz4-napi',
    compress: (bytes) => module.compressSync(bytes).subarray(PREFIX_BYTES),
    compressAsync: async (bytes) => (await module.compress(bytes)).subarray(PREFIX_BYTES),
    uncompress: (block, length) => module.uncompressSync(prefixed(block, length)),
    uncompressAsync: (block, length) => module.uncompress(prefixed(block, length)),
  }
}

function prefixed(block: Uint8Array, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(PREFIX_BYTES + block.length)
  bytes.writeUInt32LE(length)
  bytes.set(block, PREFIX_BYTES)
  return bytes
}

interface ScriptModule {
  compressBlock(
    source: Uint8Array,
    into: Uint8Array,
    start: number,
    length: number,
    table: Uint32Array,
  ): number
  decompressBlock(source: Uint8Array, into: Uint8Array, start: number, length: number, at: number): number
  compressBound(length: number): number
}

/** The format wants the last match to begin this many bytes before the end of a block. */
const LAST_MATCH_DISTANCE = 12
const TABLE_ENTRIES = 1 << 16

/** The package `lz4js`; all on the caller's turn. */
export async function scriptLz4(): Promise<Lz4Library> {
  const module = (await importPackage('lz4js')) as ScriptModule
  const table = new Uint32Array(TABLE_ENTRIES)
  const compress = (bytes: Uint8Array): Uint8Array => {
    // Entries of an earlier block would make the output depend on it.
    table.fill(0)
    const into = new Uint8Array(module.compressBound(bytes.length))
    const size = module.compressBlock(bytes, into, 0, bytes.length, table)
    // 0: nothing to gain; the piece itself then stands for "store it".
    return size === 0 ? bytes : withSoundEnd(into.subarray(0, size), bytes)
  }
  const uncompress = (block: Uint8Array, length: number): Uint8Array => {
    const into = new Uint8Array(length)
    module.decompressBlock(block, into, 0, block.length, 0)
    return into
  }
  return {
    library: 'lz4js',
    compress,
    compressAsync: async (bytes) => compress(bytes),
    uncompress,
    uncompressAsync: async (block, length) => uncompress(block, length),
  }
}

/**
 * `lz4js` may begin a match 10 or 11 bytes before the end, which strict
 * readers (Kafka's for a full block) refuse: such a match becomes literals.
 */
function withSoundEnd(block: Uint8Array, input: Uint8Array): Uint8Array {
  const shape = lz4BlockShape(block, input.length)
  if (shape === null) return input
  if (shape.lastSequence < 0 || shape.lastMatchAt <= input.length - LAST_MATCH_DISTANCE) return block
  const literals = input.subarray(shape.lastLiteralsAt)
  const length = literalsHeader(literals.length)
  const mended = new Uint8Array(shape.lastSequence + length.length + literals.length)
  mended.set(block.subarray(0, shape.lastSequence))
  mended.set(length, shape.lastSequence)
  mended.set(literals, shape.lastSequence + length.length)
  return mended
}

/** Token, and further length bytes, of a sequence of literals alone. */
function literalsHeader(count: number): number[] {
  if (count < 15) return [count << 4]
  const rest = count - 15
  return [0xf0, ...new Array<number>(Math.floor(rest / 255)).fill(255), rest % 255]
}

interface HashModule {
  XXHash32: { hash(bytes: Buffer): Buffer }
}

/** Content shorter than this is hashed faster here than through a call. */
const NATIVE_FROM_BYTES = 512

/** XXH32 by `xxhash-addon` where it is installed, else our own: the same numbers. */
export async function bestXxh32(): Promise<Xxh32> {
  const module = (await importPackage('xxhash-addon').catch(() => undefined)) as HashModule | undefined
  if (module === undefined) return (bytes) => xxh32(bytes)
  return (bytes) => {
    if (bytes.length < NATIVE_FROM_BYTES) return xxh32(bytes)
    return module.XXHash32.hash(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).readUInt32BE()
  }
}
