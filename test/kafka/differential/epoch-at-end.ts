/**
 * A leader epoch that begins where the log ends: Kafka drops it when a log is
 * opened and this package does not (docs/kafka-compatibility.md). The next
 * record makes both equal again, so ours is compared without it where Kafka's
 * is gone.
 */
import { formatLeaderEpochs, parseLeaderEpochs } from '../../../lib/checkpoint/leader-epoch-checkpoint.js'
import type { Tree } from './compare-trees.js'
import { LOG_NAME, type LogState } from './contender.js'

const FILE = `${LOG_NAME}/leader-epoch-checkpoint`

export function withoutEpochAtEnd(ours: LogState, kafka: LogState): LogState {
  const { logEndOffset } = kafka
  const isAtEnd = ({ startOffset }: { startOffset: string }) => startOffset === logEndOffset
  if (kafka.epochs.some(isAtEnd)) return ours
  return { ...ours, epochs: ours.epochs.filter((entry) => !isAtEnd(entry)) }
}

/** The same of the files of a log that ends at `endOffset`. What is no list of epochs stays as it is. */
export function treeWithoutEpochAtEnd(ours: Tree, kafka: Tree, endOffset: bigint): Tree {
  const [own, theirs] = [epochsIn(ours), epochsIn(kafka)]
  const isAtEnd = ({ startOffset }: { startOffset: bigint }) => startOffset === endOffset
  if (own === undefined || theirs === undefined || !own.some(isAtEnd) || theirs.some(isAtEnd)) return ours
  const kept = formatLeaderEpochs(own.filter((entry) => !isAtEnd(entry)))
  return { ...ours, [FILE]: Buffer.from(kept).toString('hex') }
}

function epochsIn(tree: Tree): ReturnType<typeof parseLeaderEpochs> | undefined {
  try {
    return parseLeaderEpochs(FILE, Buffer.from(tree[FILE] ?? '', 'hex').toString())
  } catch {
    return undefined
  }
}
