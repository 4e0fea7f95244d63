/**
 * Compression as the format sees it: the codec ids of a batch's attributes,
 * what a codec must do, and which codecs this process has loaded.
 *
 * Holds no compression code and imports no package: `backend/codecs` loads
 * libraries and registers them here. A codec's bytes are those that a broker
 * writes and reads; its result never aliases memory that a library keeps.
 */

import {
  CorruptionError,
  InvalidBatchError,
  outOfRange,
  PartitionLogError,
  UnsupportedError,
} from '../errors.js'

export type CodecName = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** Position in this list = codec id in bits 0 to 2 of a batch's attributes. */
export const CODEC_NAMES: readonly CodecName[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd']

/** Codec name -> id in a batch's attributes. */
export const CODEC_IDS: Readonly<Record<CodecName, number>> = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 }

/** The codec of an attribute's bits 0 to 2; `ERR_UNSUPPORTED` for the ids that Kafka has not given out (5 to 7). */
export function codecName(id: number): CodecName {
  const name = CODEC_NAMES[id]
  if (name !== undefined) return name
  throw new UnsupportedError(
    'ERR_UNSUPPORTED',
    `compression codec id ${id} is unknown: a newer version wrote this batch`,
  )
}

export interface DecompressLimits {
  /** A larger result is refused with `InvalidBatchError` before its memory is taken. */
  readonly maxBytes: number
  /** Format of the batch: lz4 frames of magic 0 carry a wrong header checksum, which is not looked at. */
  readonly magic: 0 | 1 | 2
}

/**
 * One codec served by one library. Input is only read; for the async methods
 * it must stay as it is until the promise settles. Bytes that are no valid
 * stream give `CorruptionError` (kind `'compression'`, no path: the caller
 * knows it), never another class, a hang, or memory beyond `maxBytes`.
 */
export interface Codec {
  readonly name: CodecName
  /** Which package serves. */
  readonly library: string
  /** On the caller's turn. `level` as in `COMPRESSION_LEVELS`; a codec without levels ignores it. */
  compress(bytes: Uint8Array, level?: number): Uint8Array
  /** Off the event loop where the library can; the same bytes as `compress`. */
  compressAsync(bytes: Uint8Array, level?: number): Promise<Uint8Array>
  decompress(bytes: Uint8Array, limits: DecompressLimits): Uint8Array
  decompressAsync(bytes: Uint8Array, limits: DecompressLimits): Promise<Uint8Array>
}

export interface LevelRange {
  readonly min: number
  readonly max: number
  readonly default: number
}

/** Kafka's `compression.gzip.level`, `compression.lz4.level`, `compression.zstd.level`. The default is valid too where it is below `min`. */
export const COMPRESSION_LEVELS: Readonly<Record<'gzip' | 'lz4' | 'zstd', LevelRange>> = {
  gzip: { min: 1, max: 9, default: -1 },
  lz4: { min: 1, max: 17, default: 9 },
  zstd: { min: -131072, max: 22, default: 3 },
}

/** `level`, or the codec's default where it is undefined; RangeError outside the codec's range. */
export function compressionLevel(name: 'gzip' | 'lz4' | 'zstd', level: number | undefined): number {
  const range = COMPRESSION_LEVELS[name]
  if (level === undefined || level === range.default) return range.default
  if (Number.isInteger(level) && level >= range.min && level <= range.max) return level
  throw outOfRange(
    `${name} level`,
    `an integer from ${range.min} to ${range.max}, or ${range.default}`,
    level,
  )
}

const identity: Codec = {
  name: 'none',
  library: 'none',
  compress: (bytes) => bytes,
  compressAsync: async (bytes) => bytes,
  decompress: (bytes, limits) => withinLimit('none', bytes, limits),
  decompressAsync: async (bytes, limits) => withinLimit('none', bytes, limits),
}

const loaded = new Map<CodecName, Codec>([['none', identity]])

/** Makes `codec` the one that serves its name in this process (the last one counts). */
export function registerCodec(codec: Codec): void {
  loaded.set(codec.name, codec)
}

/** The codec in use; `ERR_CODEC_NOT_LOADED` where nobody has loaded it. */
export function loadedCodec(name: CodecName): Codec {
  const codec = loaded.get(name)
  if (codec !== undefined) return codec
  if (!CODEC_NAMES.includes(name)) throw outOfRange('compression', `one of ${CODEC_NAMES.join(', ')}`, name)
  const message = `the ${name} codec is not loaded: call \`await loadCodec('${name}')\` once before`
  throw new PartitionLogError('ERR_CODEC_NOT_LOADED', message)
}

/** Whether `loadedCodec(name)` would answer. */
export function isCodecLoaded(name: CodecName): boolean {
  return loaded.has(name)
}

/** The error for bytes that are no valid stream of `codec`. */
export function badCompression(codec: CodecName, why: string, cause?: unknown): CorruptionError {
  return new CorruptionError(
    'ERR_CORRUPT',
    `${codec} data is damaged: ${why}`,
    { kind: 'compression' },
    cause,
  )
}

/** The error for a result above the limit; `actual` is its size where the data declares one. */
export function tooLarge(
  codec: CodecName,
  limits: DecompressLimits,
  actual?: number | bigint,
): InvalidBatchError {
  const size = actual === undefined ? 'more' : `${actual} bytes`
  const message = `${codec} data would decompress to ${size}, above maxDecompressedBytes=${limits.maxBytes}: raise it to read this batch`
  const fields = actual === undefined ? {} : { actual }
  return new InvalidBatchError('ERR_BATCH_TOO_LARGE', message, { expected: limits.maxBytes, ...fields })
}

function withinLimit(codec: CodecName, bytes: Uint8Array, limits: DecompressLimits): Uint8Array {
  if (bytes.length > limits.maxBytes) throw tooLarge(codec, limits, bytes.length)
  return bytes
}
