/**
 * The log's `leader-epoch-checkpoint`: written when the epochs have changed,
 * one write after the other, read when the log is opened.
 */

import { join } from 'node:path'
import type { Files } from '../backend/contract.js'
import { readText, writeAtomically } from '../checkpoint/atomic-file.js'
import {
  formatLeaderEpochs,
  LEADER_EPOCH_FILE,
  parseLeaderEpochs,
} from '../checkpoint/leader-epoch-checkpoint.js'
import { scansAhead } from '../segment/scans-ahead.js'
import type { Segment } from '../segment/segment.js'
import { LeaderEpochs } from './leader-epochs.js'
import type { LogCore } from './log-core.js'
import type { LogEnvironment } from './log-environment.js'
import { asLogError } from './log-error.js'
import type { LogState } from './log-state.js'
import { BATCHES_PER_SCAN } from './recovery/scan-segment.js'

export class EpochFile {
  readonly #core: LogCore
  #written: LeaderEpochs
  #writing: Promise<void> = Promise.resolve()

  /** The file holds the epochs that the core has now. */
  constructor(core: LogCore) {
    this.#core = core
    this.#written = core.epochs
  }

  /** On return the file holds the epochs of the call, or later ones. */
  async save(): Promise<void> {
    const saving = this.#writing.then(() => this.#saveOnce())
    this.#writing = saving.catch(() => undefined)
    await saving
  }

  async #saveOnce(): Promise<void> {
    const { env, epochs } = this.#core
    if (epochs === this.#written) return
    await writeLeaderEpochs(env, epochs)
    this.#written = epochs
  }
}

/**
 * Those of the `found` epochs that lie within the log's offsets; the file,
 * which holds `stored` (undefined: nothing that can be read), has them then too,
 * as after Kafka's loader. One that begins at the end stays, where Kafka waits
 * for its next election: appends go on in it. A log opened `readOnly` shows
 * all. On a full disk the file is left for the next opening.
 */
export async function keepLeaderEpochs(
  env: LogEnvironment,
  stored: LeaderEpochs | undefined,
  found: LeaderEpochs,
  state: LogState,
): Promise<LeaderEpochs> {
  if (env.readOnly) return found
  const kept = found.truncatedFromEnd(state.logEndOffset + 1n).truncatedFromStart(state.logStartOffset)
  if (kept === stored) return stored
  try {
    await writeLeaderEpochs(env, kept)
  } catch (error) {
    if (asLogError(error).code !== 'ERR_DISK_FULL') throw error
  }
  return kept
}

function writeLeaderEpochs(env: LogEnvironment, epochs: LeaderEpochs): Promise<void> {
  const access = { files: env.files, lane: env.flushLane }
  return writeAtomically(access, join(env.directory, LEADER_EPOCH_FILE), formatLeaderEpochs(epochs.entries))
}

/**
 * The epochs by the batches of `segments`, read header by header: for a log
 * whose file is damaged. Epochs without a batch are lost.
 */
export async function epochsOfBatches(
  env: LogEnvironment,
  segments: readonly Segment[],
): Promise<LeaderEpochs> {
  let epochs = new LeaderEpochs([])
  for (const segment of segments) {
    if (segment.sizeInBytes === 0) continue
    const options = {
      fromPosition: 0,
      endPosition: segment.sizeInBytes,
      maxBatches: BATCHES_PER_SCAN,
      checkCrc: false,
    }
    for await (const { batches } of scansAhead((chunk) => segment.scan(env.readLane, chunk), options)) {
      for (let row = 0; row < batches.count; row++) {
        const epoch = batches.leaderEpochs[row] as number
        if (epoch > (epochs.latest?.epoch ?? -1))
          epochs = epochs.assigned(epoch, batches.baseOffsets[row] as bigint)
      }
    }
  }
  return epochs
}

export async function readLeaderEpochs(files: Files, directory: string): Promise<LeaderEpochs> {
  const path = join(directory, LEADER_EPOCH_FILE)
  const text = await readText(files, path)
  return new LeaderEpochs(text === undefined ? [] : parseLeaderEpochs(path, text))
}
