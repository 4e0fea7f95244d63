/** Plays a case of a meant difference, and tells what came of its last move on both sides. */
import type { MeantCase } from './cases/meant.js'
import { outcomeDifference } from './compare-steps.js'
import { comparedTree, treeDifference } from './compare-trees.js'
import { type Contender, LOG_NAME } from './contender.js'
import type { Move } from './run-script.js'
import { Session } from './run-script.js'
import type { Tally } from './tally.js'

export interface Shown {
  /** `done`, or the exception. */
  readonly kafka: string
  readonly ours: readonly {
    /** `done`, or the code. */
    readonly outcome: string
    /** Of the answers and states, or else of the open log's files, byte for byte. */
    readonly difference: string | null
  }[]
}

/** All that leads up to the last move must be equal, or `DifferenceFound` is thrown. */
export async function showMeant(
  meant: MeantCase,
  contenders: readonly Contender[],
  tally: Tally,
): Promise<Shown> {
  const session = new Session(meant, contenders)
  try {
    await session.open()
    for (const move of meant.moves.slice(0, -1)) await session.step(move, tally)
    const { operation, ours, kafka } = await session.play(meant.moves.at(-1) as Move)
    const theirs = (contenders.at(-1) as Contender).directory
    return {
      kafka: kafka.refused?.as ?? 'done',
      ours: ours.map((outcome, index) => ({
        outcome: outcome.refused?.code ?? 'done',
        difference:
          outcomeDifference(operation, kafka, outcome, 'exact') ??
          openDifference(theirs, (contenders[index] as Contender).directory),
      })),
    }
  } finally {
    await session.abandon()
  }
}

function openDifference(theirs: string, ours: string): string | null {
  const [expected, actual] = [theirs, ours].map((directory) =>
    Object.fromEntries(
      Object.entries(comparedTree(directory)).filter(([path]) => path.startsWith(`${LOG_NAME}/`)),
    ),
  ) as [Record<string, string>, Record<string, string>]
  return treeDifference(expected, actual, 'exact')
}
