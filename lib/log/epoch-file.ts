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
import { LeaderEpochs } from './leader-epochs.js'
import type { LogCore } from './log-core.js'

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
    const path = join(env.directory, LEADER_EPOCH_FILE)
    const access = { files: env.files, lane: env.flushLane }
    await writeAtomically(access, path, formatLeaderEpochs(epochs.entries))
    this.#written = epochs
  }
}

export async function readLeaderEpochs(files: Files, directory: string): Promise<LeaderEpochs> {
  const path = join(directory, LEADER_EPOCH_FILE)
  const text = await readText(files, path)
  return new LeaderEpochs(text === undefined ? [] : parseLeaderEpochs(path, text))
}
