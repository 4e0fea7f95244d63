/**
 * This package as a contender: one class for both backends, over a machine
 * whose clock and chance are the test's.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { basename, join } from 'node:path'
import type { Backend, Files } from '../../../lib/backend/contract.js'
import type { AppendResult } from '../../../lib/log/append-result.js'
import type { EndTransactionOptions } from '../../../lib/log/end-transaction.js'
import { PartitionLog } from '../../../lib/log/partition-log.js'
import type { Machine } from '../../../lib/manager/machine.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { testMachine } from '../../support/machine.js'
import { backgroundIdle, watched } from './background-work.js'
import { type CleanedRound, CleanerWatch } from './cleaner-watch.js'
import { logFiles, logFilesButRenewed } from './compare-trees.js'
import {
  type Contender,
  LOG_NAME,
  type LogState,
  type Opening,
  type Outcome,
  type ProducerInLog,
} from './contender.js'
import { FileTimes } from './file-times.js'
import { damageTail, killed } from './kill.js'
import { fromBase64, type Operation, toBase64 } from './operation.js'
import { recordInput } from './record-input.js'
import { recordLine, wholeBatches } from './records.js'
import { logSettings, managerSettings, mapBytesOf } from './split-settings.js'
import { StepClock } from './step-clock.js'

/** What is told besides an operation's result. */
interface Noted {
  readonly rolls: string[]
  readonly deletions: string[]
}

type Of<Name extends Operation['op']> = Extract<Operation, { op: Name }>

export class OurContender implements Contender {
  readonly name: string
  readonly directory: string
  readonly #backend: Backend
  readonly #removals = new Set<Promise<unknown>>()
  readonly #fileTimes = new FileTimes()
  #machine!: Machine
  #clock!: StepClock
  #opening!: Opening
  #log: PartitionLog | undefined
  #cleaner!: CleanerWatch

  constructor(backend: Backend, directory: string) {
    this.name = `ours, ${backend.name}`
    this.directory = directory
    this.#backend = backend
  }

  async open(opening: Opening): Promise<LogState> {
    this.#opening = opening
    const machine = testMachine({ nowMs: opening.nowMs, backend: this.#backend })
    this.#clock = new StepClock(opening.nowMs)
    const tools = { backend: this.#backend, files: machine.files, clock: this.#clock }
    this.#cleaner = new CleanerWatch(tools, mapBytesOf(opening.settings), () => this.#log as PartitionLog)
    this.#machine = {
      ...machine,
      clock: this.#clock,
      files: this.#watched(machine.files),
      openCleanerThread: () => this.#cleaner.openThread(),
    }
    return this.#open()
  }

  async apply(operation: Operation): Promise<Outcome> {
    const rolls: string[] = []
    const deletions: string[] = []
    try {
      const result = await this.#run(operation, { rolls, deletions })
      // What has no delay is done when the operation is over.
      await this.#advance(0)
      await PartitionLog.coreOf(this.#log as PartitionLog).sideFiles.idle()
      this.#stamp()
      const told = this.#told(operation, result ?? null)
      return { result: told, state: stateOf(this.#log as PartitionLog), rolls, deletions }
    } catch (error) {
      const { code, name, message } = error as { code?: string; name: string; message: string }
      const log = this.#log
      // A fault, and no refusal: an error without a code, or a log that went offline.
      if (code === undefined || log === undefined || log.state !== 'open') throw error
      return { refused: { code, as: name, message }, state: stateOf(log), rolls }
    }
  }

  async close(): Promise<void> {
    await backgroundIdle(this.#removals)
    await this.#log?.close()
    this.#log = undefined
  }

  async abandon(): Promise<void> {
    await this.#log?.close().catch(() => undefined)
  }

  async #open(): Promise<LogState> {
    const { settings, highWatermark } = this.#opening
    const path = join(this.directory, LOG_NAME)
    this.#log = await openLogOn(this.#machine, path, {
      config: logSettings(settings),
      // Like Kafka's, it cleans only when it is told to.
      manager: { ...managerSettings(settings), cleanerEnable: false },
      highWatermark,
      onDamage: 'cut',
    })
    this.#stamp()
    return stateOf(this.#log)
  }

  #run(operation: Operation, { rolls, deletions }: Noted): unknown {
    const log = this.#log as PartitionLog
    switch (operation.op) {
      case 'append':
        return places(noting(rolls, () => this.#append(log, operation)))
      case 'marker':
        return places(noting(rolls, () => log.endTransaction(markerOptions(operation))))
      case 'leader':
      case 'follower':
        return places(noting(rolls, () => appendBytes(log, operation)))
      case 'roll':
        return agreed(
          'roll',
          noting(rolls, () => log.roll()),
          log.segments.at(-1)?.baseOffset,
        )
      case 'flush':
        return log.flush()
      case 'highWatermark':
        return log.setHighWatermark(operation.offset)
      case 'deleteBefore':
        return deleteBefore(log, operation.offset)
      case 'truncate':
        return truncate(log, operation.offset)
      case 'advance':
        return this.#advance(Number(operation.ms))
      case 'retain':
        return retain(log, deletions)
      case 'clean':
        return this.#clean(log)
      case 'configure':
        return this.#configure(log, operation)
      case 'files':
        return logFiles(this.directory)
      case 'reopen':
        return this.#reopen()
      case 'crash':
        return this.#crash(operation)
      default:
        return look(log, operation)
    }
  }

  async #reopen(): Promise<null> {
    await this.close()
    this.#stamp()
    await this.#open()
    return null
  }

  async #clean(log: PartitionLog): Promise<readonly CleanedRound[]> {
    this.#cleaner.rounds.length = 0
    await log.clean()
    return [...this.#cleaner.rounds]
  }

  /** Files as they are when the operation is over. */
  #told({ op }: Operation, result: unknown): unknown {
    if (op === 'clean') return { rounds: result, files: logFilesButRenewed(this.directory) }
    return op === 'advance' || op === 'retain' ? logFilesButRenewed(this.directory) : result
  }

  async #configure(log: PartitionLog, { settings }: Of<'configure'>): Promise<null> {
    this.#opening = { ...this.#opening, settings: { ...this.#opening.settings, ...settings } }
    await log.updateConfig(logSettings(settings))
    return null
  }

  #stamp(): void {
    this.#fileTimes.stamp(join(this.directory, LOG_NAME), this.#clock.nowMs())
  }

  async #crash(operation: Of<'crash'>): Promise<void> {
    await this.#advance(Number(operation.ms))
    await killed(this.directory, () => this.close())
    damageTail(this.directory, operation)
    this.#stamp()
    await this.#open()
  }

  #append(log: PartitionLog, { records, codec, leaderEpoch, producer }: Of<'append'>): AppendResult {
    return log.append(
      records.map((record) => recordInput(record)),
      {
        compression: codec,
        ...(leaderEpoch === null ? {} : { leaderEpoch }),
        ...(producer === undefined ? {} : { producer }),
      },
    )
  }

  async #advance(ms: number): Promise<void> {
    await this.#clock.advance(ms, () => backgroundIdle(this.#removals))
  }

  /** Deleted files go in the background: whoever compares directories has to wait for them. */
  #watched(files: Files): Files {
    return {
      ...files,
      remove: (path) => watched(files.remove(path), this.#removals),
    }
  }
}

async function retain(log: PartitionLog, deletions: string[]): Promise<void> {
  const result = await log.runRetention()
  agreed('runRetention', result.logStartOffset, log.offsets.logStartOffset)
  deletions.push(...result.deletions.map(({ cause }) => cause.rule))
}

function look(log: PartitionLog, operation: Operation): Promise<unknown> | unknown {
  switch (operation.op) {
    case 'fetch':
      return fetched(log, operation)
    case 'read':
      return readAll(log, operation)
    case 'locate':
      return located(log, operation.offset)
    case 'time':
      return log.offsetForTimestamp(operation.timestamp).then(plainPlace)
    case 'maxTime':
      return log.offsetForMaxTimestamp().then(plainPlace)
    case 'epochEnd':
      return plainEnd(log.endOffsetForEpoch(operation.epoch))
    default:
      throw new Error(`unknown operation ${operation.op}`)
  }
}

function markerOptions({ op: _, ...options }: Of<'marker'>): EndTransactionOptions {
  return options
}

function appendBytes(log: PartitionLog, { op, bytes, leaderEpoch }: Of<'leader'> | Of<'follower'>) {
  return log.appendBatches(fromBase64(bytes), { origin: op, leaderEpoch })
}

function places(appended: AppendResult | null) {
  if (appended === null) return null
  const { baseOffset, lastOffset, duplicate } = appended
  return { baseOffset: `${baseOffset}`, lastOffset: `${lastOffset}`, ...(duplicate ? { duplicate } : {}) }
}

async function fetched(log: PartitionLog, { offset, maxBytes, minOneBatch, isolation }: Of<'fetch'>) {
  const options = { maxBytes, minOneBatch, ...(isolation === undefined ? {} : { isolation }) }
  const { batches, nextOffset, abortedTransactions } = await log.fetch(offset, options)
  const { lastOffset } = wholeBatches(batches)
  if (lastOffset !== null && nextOffset !== lastOffset + 1n)
    throw new Error(`a fetch that ended with offset ${lastOffset} is to go on at ${nextOffset}`)
  const aborted = abortedTransactions.map(({ producerId, firstOffset }) => ({
    producerId: `${producerId}`,
    firstOffset: `${firstOffset}`,
  }))
  return { bytes: toBase64(batches), ...(isolation === undefined ? {} : { aborted }) }
}

async function readAll(log: PartitionLog, { offset, isolation }: Of<'read'>): Promise<string[]> {
  const lines: string[] = []
  for await (const record of log.read({
    from: BigInt(offset),
    ...(isolation === undefined ? {} : { isolation }),
  }))
    lines.push(recordLine(record))
  return lines
}

function located(log: PartitionLog, offset: string) {
  const { path, indexEntry, batch } = log.locate(offset)
  return {
    segment: `${BigInt(basename(path, '.log'))}`,
    indexEntry: { offset: `${indexEntry.offset}`, position: indexEntry.position },
    batch: batch && { position: batch.position, sizeInBytes: batch.sizeInBytes },
  }
}

/** Kafka's methods give nothing: what ours gives is held against the log's state, and left out. */
function agreed(method: string, given: unknown, state: unknown): void {
  if (given !== state) throw new Error(`${method} gave ${given}, and the log says ${state}`)
}

async function deleteBefore(log: PartitionLog, offset: string): Promise<void> {
  agreed('deleteRecordsBefore', await log.deleteRecordsBefore(offset), log.offsets.logStartOffset)
}

async function truncate(log: PartitionLog, offset: string): Promise<void> {
  const cuts = BigInt(offset) < log.offsets.logEndOffset
  agreed('truncateTo', await log.truncateTo(offset), cuts)
}

function plainPlace(found: { offset: bigint; timestamp: bigint } | null) {
  return found && { offset: `${found.offset}`, timestamp: `${found.timestamp}` }
}

function plainEnd(end: { epoch: number; endOffset: bigint } | null) {
  return end && { epoch: end.epoch, offset: `${end.endOffset}` }
}

/** Rolls are part of a synchronous append: what is told meanwhile is this log's. */
function noting<T>(rolls: string[], work: () => T): T {
  const listen = (message: unknown) => void rolls.push((message as { reason: string }).reason)
  subscribe('partition-log:roll', listen)
  try {
    return work()
  } finally {
    unsubscribe('partition-log:roll', listen)
  }
}

function stateOf(log: PartitionLog): LogState {
  const { logStartOffset, highWatermark, lastStableOffset, recoveryPoint, logEndOffset } = log.offsets
  return {
    logStartOffset: `${logStartOffset}`,
    highWatermark: `${highWatermark}`,
    lastStableOffset: `${lastStableOffset}`,
    recoveryPoint: `${recoveryPoint}`,
    logEndOffset: `${logEndOffset}`,
    segments: log.segments.map((segment) => ({
      baseOffset: `${segment.baseOffset}`,
      sizeInBytes: segment.sizeInBytes,
      offsetIndexEntries: segment.offsetIndexEntries,
      timeIndexEntries: segment.timeIndexEntries,
      largestTimestamp: `${segment.maxTimestamp}`,
    })),
    epochs: log.leaderEpochs.map(({ epoch, startOffset }) => ({ epoch, startOffset: `${startOffset}` })),
    producers: producersOf(log),
  }
}

function producersOf(log: PartitionLog): ProducerInLog[] {
  return [...PartitionLog.coreOf(log).producers.table.states()]
    .sort((a, b) => (a.producerId < b.producerId ? -1 : 1))
    .map((state) => ({
      producerId: `${state.producerId}`,
      producerEpoch: state.producerEpoch,
      coordinatorEpoch: state.coordinatorEpoch,
      lastTimestamp: `${state.lastTimestamp}`,
      currentTxnFirstOffset: state.transactionFirstOffset === null ? null : `${state.transactionFirstOffset}`,
      batches: state.batches.map(({ firstSequence, lastSequence, firstOffset, lastOffset, timestamp }) => ({
        firstSequence,
        lastSequence,
        firstOffset: `${firstOffset}`,
        lastOffset: `${lastOffset}`,
        timestamp: `${timestamp}`,
      })),
    }))
}
