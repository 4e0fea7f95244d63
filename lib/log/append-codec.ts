/**
 * Which codec, at which level, an append compresses with: the log's own
 * `compression.type`, or the caller's choice where that is `producer`.
 */

import type { LogConfig } from '../config/settings.js'
import type { CodecName } from '../format/compression.js'

/** What the options of an append say of it. */
export interface CompressionChoice {
  readonly compression?: CodecName
  readonly compressionLevel?: number
}

/** The codec that a batch of this log is written with. */
export function compressionOf(
  config: LogConfig,
  options: CompressionChoice,
): { codec: CodecName; level?: number } {
  const setting = config.compressionType
  const codec =
    setting === 'producer' ? (options.compression ?? 'none') : setting === 'uncompressed' ? 'none' : setting
  const level = options.compressionLevel ?? levelOf(config, codec)
  return level === undefined ? { codec } : { codec, level }
}

function levelOf(config: LogConfig, codec: CodecName): number | undefined {
  switch (codec) {
    case 'gzip':
      return config.compressionGzipLevel
    case 'lz4':
      return config.compressionLz4Level
    case 'zstd':
      return config.compressionZstdLevel
    default:
      return undefined
  }
}
