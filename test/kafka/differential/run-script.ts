/**
 * One script, carried out by all contenders step by step. After each step
 * their outcomes must be equal, and at the end their directories: once while
 * the log is open, once after it was closed.
 */
import type { Batch } from '../../../lib/format/batch.js'
import type { CleanedRound } from './cleaner-watch.js'
import { cleanKinds } from './cleaning-outcomes.js'
import { outcomeDifference, sameState } from './compare-steps.js'
import { comparedTree, type Tree, treeDifference } from './compare-trees.js'
import type { Contender, LogState, Outcome } from './contender.js'
import { treeWithoutEpochAtEnd, withoutEpochAtEnd } from './epoch-at-end.js'
import { explained, type MeantName } from './meant-differences.js'
import { OpenFiles } from './open-files.js'
import type { Comparison, Operation, Settings } from './operation.js'
import { countOutcome } from './outcomes.js'
import type { Tally } from './tally.js'
import { topicIdIn } from './topic-id.js'
import { View } from './view.js'

/** An operation, or what makes one of the log as it is then. */
export type Move = Operation | ((view: View) => Operation)

export interface Run {
  readonly comparison: Comparison
  readonly settings: Settings
  readonly highWatermark: 'auto' | 'manual'
  readonly moves: readonly Move[]
}

/** 2026-01-01. */
export const START_MS = 1_767_225_600_000
/** Longer than any delay of a deletion. */
const SETTLE_MS = 120_000

/** What differed or broke, and the operations that lead there, to be repeated with `REPEAT`. */
export class DifferenceFound extends Error {
  constructor(difference: string, run: Run, operations: readonly Operation[], cause?: unknown) {
    const { comparison, settings, highWatermark } = run
    const script = JSON.stringify({ comparison, settings, highWatermark, moves: operations })
    super(`${difference}\nthe script, to be repeated with REPEAT=<file>:\n${script}`, { cause })
    this.name = 'DifferenceFound'
  }
}

/** Throws `DifferenceFound`, also where a contender breaks. `contenders`: ours first, Kafka last. */
export async function runScript(run: Run, contenders: readonly Contender[], tally: Tally): Promise<void> {
  const session = new Session(run, contenders)
  try {
    await session.open()
    for (const move of run.moves) await session.step(move, tally)
    await session.compareAtEnd(tally)
  } catch (error) {
    // What went wrong first is what is told.
    await session.abandon().catch(() => undefined)
    throw error instanceof DifferenceFound ? error : session.broken(error)
  }
  tally.count(`script: ${run.comparison}`)
}

export class Session {
  readonly #run: Run
  readonly #ours: readonly Contender[]
  readonly #kafka: Contender
  readonly #openFiles = new OpenFiles()
  readonly #done: Operation[] = []
  /** Each one's own: where each compresses itself, sizes differ. */
  readonly #states = new Map<Contender, LogState>()
  #nowMs = START_MS
  #settings: Settings
  #state!: LogState
  /** Ours, with an epoch that begins at the log's end: Kafka forgets it. */
  #ownState: LogState | undefined

  constructor(run: Run, contenders: readonly Contender[]) {
    this.#run = run
    this.#settings = run.settings
    this.#ours = contenders.slice(0, -1)
    this.#kafka = contenders.at(-1) as Contender
  }

  /** Ours first: the topic's id that they draw is given to Kafka. */
  async open(): Promise<void> {
    const { settings, highWatermark } = this.#run
    const opening = { settings, highWatermark, nowMs: START_MS }
    const states = await Promise.all(this.#ours.map((contender) => contender.open(opening, null)))
    const [first] = this.#ours as readonly [Contender]
    this.#state = await this.#kafka.open(opening, topicIdIn(first.directory))
    const outcome = (state: LogState) => ({ result: null, state })
    this.#compare({ op: 'reopen' }, states.map(outcome), outcome(this.#state))
  }

  /** The log as it is now, for whoever makes the next operation of it. */
  view(): View {
    const [first] = this.#ours as readonly [Contender]
    return new View(
      { ...this.#run, settings: this.#settings },
      {
        nowMs: this.#nowMs,
        state: this.#state,
        latestEpoch: this.#ownState?.epochs.at(-1)?.epoch ?? 0,
        hasEpochAtEnd: this.#ownState?.epochs.at(-1)?.startOffset === this.#state.logEndOffset,
        directory: first.directory,
      },
    )
  }

  async step(move: Move, tally: Tally): Promise<void> {
    const before = this.view()
    const asked = typeof move === 'function' ? move(before) : move
    const was = asked.op === 'clean' ? before.batches() : []
    const { operation, ours, kafka } = await this.play(asked)
    const meant = this.#compare(operation, ours, kafka)
    countOutcome(tally, operation, { before, ours: ours[0] as Outcome, kafka, meant })
    if (operation.op === 'clean' && kafka.refused === undefined) this.#countCleaned(tally, before, was, kafka)
  }

  #countCleaned(tally: Tally, before: View, was: readonly Batch[], { result, state }: Outcome): void {
    const { rounds } = result as { rounds: readonly CleanedRound[] }
    const is = this.view().batches()
    for (const kind of cleanKinds({ before, was, is, state, rounds })) tally.count(`clean: ${kind}`)
  }

  /** Carries a move out, and compares nothing. */
  async play(move: Move): Promise<{ operation: Operation; ours: readonly Outcome[]; kafka: Outcome }> {
    const before = this.#state
    const operation = typeof move === 'function' ? move(this.view()) : move
    this.#done.push(operation)
    const playing = this.#ours.map((contender) => contender.apply(operation))
    const [answer, ...answers] = await Promise.all([this.#kafka.apply(operation), ...playing])
    this.#ownState = answers[0]?.state
    this.#openFiles.note(operation, before, answers[0] as Outcome)
    const kafka = this.#butRenewed(operation, answer)
    const ours = answers.map((outcome) => ({
      ...this.#butRenewed(operation, outcome),
      state: withoutEpochAtEnd(outcome.state, kafka.state),
    }))
    if (operation.op === 'advance' || operation.op === 'crash') this.#nowMs += Number(operation.ms)
    if (operation.op === 'configure') this.#settings = { ...this.#settings, ...operation.settings }
    this.#state = kafka.state
    this.#states.set(this.#kafka, kafka.state)
    for (const [index, { state }] of ours.entries()) this.#states.set(this.#ours[index] as Contender, state)
    return { operation, ours, kafka }
  }

  /** The names of the log's files, where they are what is told. */
  #butRenewed({ op }: Operation, outcome: Outcome): Outcome {
    if ((op !== 'advance' && op !== 'retain') || outcome.refused !== undefined) return outcome
    return { ...outcome, result: this.#openFiles.butRenewed(outcome.result as string[]) }
  }

  /** What is deleted must be gone, and what is written in the background must be written. */
  async compareAtEnd(tally: Tally): Promise<void> {
    await this.step({ op: 'flush', force: true }, tally)
    const before = this.#checkpoints()
    await this.step({ op: 'advance', ms: `${SETTLE_MS}` }, tally)
    await this.step({ op: 'flush', force: true }, tally)
    for (const [name, hex] of Object.entries(this.#checkpoints()))
      if (before[name] !== hex) tally.count(`checkpoint in the background: ${name}`)
    const openTree = (contender: Contender) =>
      this.#openFiles.tree(contender.directory, this.#states.get(contender) as LogState)
    this.#compareTrees('open', openTree, tally)
    await Promise.all([this.#kafka, ...this.#ours].map((contender) => contender.close()))
    this.#compareTrees('closed', ({ directory }) => comparedTree(directory), tally)
  }

  /** Ours; that Kafka's are equal is for the comparison to say. */
  #checkpoints(): Tree {
    const [first] = this.#ours as readonly [Contender]
    const all = Object.entries(comparedTree(first.directory))
    return Object.fromEntries(
      all.filter(([path]) => path.endsWith('offset-checkpoint') && !path.includes('/')),
    )
  }

  async abandon(): Promise<void> {
    await Promise.all([this.#kafka, ...this.#ours].map((contender) => contender.abandon()))
  }

  /** A fault of a contender, told with the script that leads to it. */
  broken(error: unknown): DifferenceFound {
    const told = `step ${this.#done.length}, ${this.#done.at(-1)?.op ?? 'open'}, broke: ${error}`
    return new DifferenceFound(told, this.#run, this.#done, error)
  }

  /** The name of the meant difference that came up, if one did. */
  #compare(operation: Operation, ours: readonly Outcome[], kafka: Outcome): MeantName | undefined {
    const { comparison } = this.#run
    const settings = this.#settings
    let meant: MeantName | undefined
    for (const [index, outcome] of ours.entries()) {
      const difference = outcomeDifference(operation, kafka, outcome, comparison)
      if (difference === null) continue
      const context = { operation, kafka, ours: outcome, settings, nowMs: this.#nowMs }
      meant = sameState(operation, kafka, outcome, comparison) ? explained(context) : undefined
      if (meant !== undefined) continue
      const name = this.#ours[index]?.name
      const outcomes = `Kafka: ${JSON.stringify(kafka)}\n${name}: ${JSON.stringify(outcome)}`
      this.#fail(`step ${this.#done.length}, ${operation.op}, differs: ${difference}\n${outcomes}`)
    }
    return meant
  }

  #compareTrees(when: 'open' | 'closed', treeOf: (contender: Contender) => Tree, tally: Tally): void {
    const expected = treeOf(this.#kafka)
    const endOffset = BigInt(this.#state.logEndOffset)
    for (const contender of this.#ours) {
      const actual = treeWithoutEpochAtEnd(treeOf(contender), expected, endOffset)
      const difference = treeDifference(expected, actual, this.#run.comparison)
      if (difference !== null)
        this.#fail(`the directories of Kafka and ${contender.name}, ${when}: ${difference}`)
    }
    tally.count(`directories compared, ${when}`)
    tally.count(`files compared, ${when}`, Object.keys(expected).length)
  }

  #fail(difference: string): never {
    throw new DifferenceFound(difference, this.#run, this.#done)
  }
}
