/**
 * The log's `leader-epoch-checkpoint`: written when the epochs have changed,
 * read when the log is opened.
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

export async function writeLeaderEpochs({ env, epochs }: LogCore): Promise<void> {
  const path = join(env.directory, LEADER_EPOCH_FILE)
  await writeAtomically({ files: env.files, lane: env.flushLane }, path, formatLeaderEpochs(epochs.entries))
}

export async function readLeaderEpochs(files: Files, directory: string): Promise<LeaderEpochs> {
  const path = join(directory, LEADER_EPOCH_FILE)
  const text = await readText(files, path)
  return new LeaderEpochs(text === undefined ? [] : parseLeaderEpochs(path, text))
}
