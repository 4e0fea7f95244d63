/**
 * What a segment of a log is made with, from the log's settings.
 */

import { segmentBytesOf } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import type { SegmentOptions } from '../segment/segment.js'
import type { NewSegmentOptions, SegmentPlace } from '../segment/segment-files.js'
import type { LogEnvironment } from './log-environment.js'

/** How long the files of a new segment are made. */
export function newFileOptions(config: LogConfig): NewSegmentOptions {
  return {
    capacityBytes: config.segmentIndexBytes,
    preallocateBytes: config.preallocate ? segmentBytesOf(config) : 0,
  }
}

/** Where a log's segments live: one value for all of them, of which there can be ten thousands. */
export function placeOf({ backend, directory, readOnly }: LogEnvironment): SegmentPlace {
  return { backend, directory, mode: readOnly ? 'read' : 'write' }
}

/** What a segment keeps for its life as the active one. Jitter as Kafka draws it: below the smaller of segment.jitter.ms and segment.ms. */
export function segmentOptions(
  env: LogEnvironment,
  config: LogConfig,
  baseOffset: bigint,
  place = placeOf(env),
): SegmentOptions {
  const limit = Math.min(config.segmentJitterMs, config.segmentMs)
  return {
    place,
    openSegments: env.openSegments,
    baseOffset,
    indexIntervalBytes: config.indexIntervalBytes,
    createdMs: env.clock.nowMs(),
    rollJitterMs: limit === 0 ? 0 : env.entropy.below(Math.min(limit, 2 ** 48 - 1)),
  }
}
