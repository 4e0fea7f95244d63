/**
 * What a cleaning is told of its log: everything that its thread needs, as it
 * is in this moment.
 */

import { segmentBytesOf } from '../config/log-config.js'
import type { CleanablePlan } from '../log/cleaning/cleanable.js'
import type { LogCore } from '../log/log-core.js'
import type { ProducerState } from '../log/producers/producer-state.js'
import { fileName } from '../segment/names.js'
import type { Segment } from '../segment/segment.js'
import type { CleanJob, CleanSettings, LastRecord, SegmentToClean } from './clean-job.js'

export async function jobOf(
  core: LogCore,
  plan: CleanablePlan,
  inputs: readonly Segment[],
  settings: CleanSettings,
  nowMs: number,
): Promise<CleanJob> {
  const { env, config, producers, state } = core
  const indexBytes = await indexLengths(core)
  const { segmentIndexBytes, indexIntervalBytes, deleteRetentionMs, maxMessageBytes } = config
  return {
    name: env.name,
    directory: env.directory,
    backend: env.backend.name,
    segments: inputs.map((segment) => segmentToClean(core, segment, indexBytes)),
    abortedBehind: state.segments
      .filter(({ baseOffset }) => baseOffset >= plan.firstUncleanableOffset)
      .flatMap((segment) => producers.aborted.of(segment)),
    firstDirtyOffset: plan.firstDirtyOffset,
    firstUncleanableOffset: plan.firstUncleanableOffset,
    highWatermark: state.highWatermark,
    producers: [...producers.table.states()].map(lastRecord),
    config: {
      segmentBytes: segmentBytesOf(config),
      ...{ segmentIndexBytes, indexIntervalBytes, deleteRetentionMs, maxMessageBytes },
    },
    settings,
    nowMs,
  }
}

/** By name, from one look at the directory: opening each index would cost this thread. */
async function indexLengths({ env }: LogCore): Promise<ReadonlyMap<string, number>> {
  const entries = await env.files.list(env.directory, (name) => /\.(index|timeindex)$/.test(name))
  return new Map(entries.map(({ name, sizeInBytes }) => [name, sizeInBytes]))
}

function segmentToClean(
  core: LogCore,
  segment: Segment,
  lengths: ReadonlyMap<string, number>,
): SegmentToClean {
  const { baseOffset, sizeInBytes, modifiedMs } = segment
  return {
    baseOffset,
    sizeInBytes,
    modifiedMs,
    indexBytes: lengths.get(fileName(baseOffset, 'index')) ?? 0,
    timeIndexBytes: lengths.get(fileName(baseOffset, 'timeindex')) ?? 0,
    aborted: core.producers.aborted.of(segment),
  }
}

function lastRecord({ producerId, producerEpoch, batches }: ProducerState): LastRecord {
  return { producerId, producerEpoch, lastDataOffset: batches.at(-1)?.lastOffset ?? null }
}
