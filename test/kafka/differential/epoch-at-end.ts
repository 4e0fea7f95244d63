/**
 * Leader epochs that begin where the log ends: Kafka drops them when a log is
 * opened and this package does not (docs/kafka-compatibility.md). The next
 * record makes both equal again, so what is compared goes without them.
 */
import { formatLeaderEpochs, parseLeaderEpochs } from '../../../lib/checkpoint/leader-epoch-checkpoint.js'
import type { Tree } from './compare-trees.js'
import { LOG_NAME, type LogState, type Outcome } from './contender.js'

const FILE = `${LOG_NAME}/leader-epoch-checkpoint`

export function withoutEpochAtEnd(state: LogState): LogState {
  const { epochs, logEndOffset } = state
  return { ...state, epochs: epochs.filter(({ startOffset }) => startOffset !== logEndOffset) }
}

export function outcomeWithoutEpochAtEnd(outcome: Outcome): Outcome {
  return { ...outcome, state: withoutEpochAtEnd(outcome.state) }
}

/** The same of the files of a log that ends at `logEndOffset`. What is no list of epochs is compared as it is. */
export function treeWithoutEpochAtEnd(tree: Tree, { logEndOffset }: LogState): Tree {
  const hex = tree[FILE]
  if (hex === undefined) return tree
  return { ...tree, [FILE]: fileWithout(hex, BigInt(logEndOffset)) }
}

function fileWithout(hex: string, endOffset: bigint): string {
  let entries: ReturnType<typeof parseLeaderEpochs>
  try {
    entries = parseLeaderEpochs(FILE, Buffer.from(hex, 'hex').toString())
  } catch {
    return hex
  }
  // An empty file, as a new log has it, says the same as one without entries.
  const kept = entries.filter(({ startOffset }) => startOffset !== endOffset)
  return kept.length === 0 ? '' : Buffer.from(formatLeaderEpochs(kept)).toString('hex')
}
