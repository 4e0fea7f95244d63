/**
 * Loads a codec's library on first use and registers it with the format.
 *
 * The only place that chooses between libraries: the native one first, then
 * the one in JavaScript or WebAssembly. What is chosen depends on what is
 * installed, never on the backend. Nothing is loaded that was not asked for.
 */

import { outOfRange, UnsupportedError } from '../../errors.js'
import {
  CODEC_NAMES,
  type Codec,
  type CodecName,
  isCodecLoaded,
  loadedCodec,
  registerCodec,
} from '../../format/compression.js'
import { gzipCodec } from './gzip.js'
import { lz4From } from './lz4.js'
import { bestXxh32, nativeLz4, scriptLz4 } from './lz4-libraries.js'
import { nativeSnappy, scriptSnappy, snappyFrom } from './snappy.js'
import { zstdFrom } from './zstd.js'
import { wasmZstd, zlibWithZstd, zlibZstd } from './zstd-libraries.js'

type Opener = () => Promise<Codec>

/** Ways to serve a codec, best first. */
interface Source {
  readonly openers: readonly Opener[]
  /** Packages of which one must be there. */
  readonly packages: readonly string[]
}

const SOURCES: Readonly<Record<Exclude<CodecName, 'none'>, Source>> = {
  gzip: { openers: [async () => gzipCodec()], packages: [] },
  snappy: {
    openers: [async () => snappyFrom(await nativeSnappy()), async () => snappyFrom(await scriptSnappy())],
    packages: ['snappy', 'snappyjs'],
  },
  lz4: {
    openers: [
      async () => lz4From(await nativeLz4(), await bestXxh32()),
      async () => lz4From(await scriptLz4(), await bestXxh32()),
    ],
    packages: ['lz4-napi', 'lz4js'],
  },
  zstd: { openers: [openZstd], packages: ['@bokuweb/zstd-wasm'] },
}

async function openZstd(): Promise<Codec> {
  const zlib = zlibWithZstd()
  return zstdFrom(zlib === undefined ? await wasmZstd() : zlibZstd(zlib))
}

const loading = new Map<CodecName, Promise<Codec>>()

/**
 * The codec, loaded and registered; repeated calls give the same one. Where no
 * library of it can be loaded (they are optional dependencies):
 * `ERR_UNSUPPORTED`, naming what to install; a later call tries again.
 * A name that is no codec's is a RangeError.
 */
export function loadCodec(name: CodecName): Promise<Codec> {
  if (!CODEC_NAMES.includes(name))
    return Promise.reject(outOfRange('codec', `one of ${CODEC_NAMES.join(', ')}`, name))
  if (name === 'none' || isCodecLoaded(name)) return Promise.resolve(loadedCodec(name))
  let pending = loading.get(name)
  if (pending === undefined) {
    pending = firstOf(name, SOURCES[name]).finally(() => loading.delete(name))
    loading.set(name, pending)
  }
  return pending
}

async function firstOf(name: CodecName, source: Source): Promise<Codec> {
  const failures: unknown[] = []
  for (const open of source.openers) {
    try {
      const codec = await open()
      registerCodec(codec)
      return codec
    } catch (error) {
      // Absent and broken packages are alike here: the next one serves, and
      // where none does, the error below carries every reason.
      failures.push(error)
    }
  }
  const install = source.packages.join(' or ')
  throw new UnsupportedError(
    'ERR_UNSUPPORTED',
    `no library for ${name} could be loaded: install the package ${install}`,
    {},
    new AggregateError(failures, `${name} libraries that failed to load`),
  )
}
