/** Logs of ours that are put in place against the recipe, each in one point, and what the broker says to that. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { LOG_START_FILE } from '../../../lib/checkpoint/offset-checkpoint.js'
import { PARTITION_METADATA_FILE } from '../../../lib/checkpoint/partition-metadata.js'
import type { PartitionModel } from './partition-model.js'
import { setLine } from './put-in-place.js'

interface Misplaced {
  readonly topic: string
  /** The highest leader epoch of the log; the cluster's is 2 by then. */
  readonly lastEpoch: number
  /** Undoes a step of the recipe. */
  readonly spoil: (ours: string, name: string, logDir: string) => void
  readonly complaint: RegExp | undefined
  /** Start and end of the log that the broker serves in its place. */
  readonly served: (model: PartitionModel) => { readonly start: bigint; readonly end: bigint }
}

/** Behind the end of every log here. */
const STALE_START = 1_000_000n

export const MISPLACED: readonly Misplaced[] = [
  {
    topic: 'own-topic-id',
    lastEpoch: 2,
    spoil: (ours, name, logDir) =>
      cpSync(join(ours, name, PARTITION_METADATA_FILE), join(logDir, name, PARTITION_METADATA_FILE)),
    complaint: /own-topic-id-0 marked stray and renamed to /,
    served: () => ({ start: 0n, end: 0n }),
  },
  {
    topic: 'stale-start',
    lastEpoch: 2,
    spoil: (_, name, logDir) => setLine(join(logDir, LOG_START_FILE), name, STALE_START),
    complaint: /stale-start-0.* Deleting all segments because logEndOffset /,
    served: () => ({ start: STALE_START, end: STALE_START }),
  },
  {
    topic: 'no-start',
    lastEpoch: 2,
    spoil: (_, name, logDir) => setLine(join(logDir, LOG_START_FILE), name, undefined),
    complaint: undefined,
    served: ({ end }) => ({ start: 0n, end }),
  },
  {
    topic: 'late-epoch',
    lastEpoch: 50,
    spoil: () => undefined,
    complaint: /LeaderEpochCache late-epoch-0\] New epoch entry .* caused truncation of conflicting entries /,
    served: ({ start, end }) => ({ start, end }),
  },
]
