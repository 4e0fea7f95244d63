/**
 * Kafka 4.4.0's own log as a contender, through the Java driver. What is done
 * to its answers is only this: a fetch is cut back to its whole batches (Kafka
 * cuts a slice at the byte), a look-up by time ends at the high watermark and a
 * search for a batch goes on in the next segment, as a broker's Partition and
 * LocalLog.read do around the methods that the driver calls.
 */
import type { JavaProcess } from '../support/java-process.js'
import { logFiles, logFilesButRenewed } from './compare-trees.js'
import type { Contender, LogState, Opening, Outcome } from './contender.js'
import { damageTail } from './kill.js'
import { fromBase64, type Operation, toBase64 } from './operation.js'
import { committedLines, recordLines, wholeBatches } from './records.js'
import { inOurWords, type KafkaRefusal } from './refusals.js'

const READ_BYTES = 1 << 20

interface Answer extends Partial<KafkaRefusal> {
  readonly result?: unknown
  readonly state?: LogState
}

export class KafkaContender implements Contender {
  readonly name = 'Kafka'
  readonly directory: string
  readonly #java: JavaProcess
  #opening!: Opening
  #nowMs = 0
  #state!: LogState

  constructor(java: JavaProcess, directory: string) {
    this.#java = java
    this.directory = directory
  }

  async open(opening: Opening, topicId: string | null): Promise<LogState> {
    this.#opening = opening
    this.#nowMs = opening.nowMs
    return this.#open(topicId)
  }

  async apply(operation: Operation): Promise<Outcome> {
    if (operation.op === 'reopen') {
      await this.close()
      return { result: null, state: await this.#open(null) }
    }
    if (operation.op === 'crash') {
      await this.#ask({ op: 'advance', ms: operation.ms })
      this.#nowMs += Number(operation.ms)
      await this.#java.ask({ op: 'crash' })
      damageTail(this.directory, operation)
      return { result: null, state: await this.#open(null) }
    }
    if (operation.op === 'configure') {
      const settings = { ...this.#opening.settings, ...operation.settings }
      this.#opening = { ...this.#opening, settings }
      return this.#answered(operation, await this.#ask({ op: 'configure', config: settings }))
    }
    if (operation.op === 'files') return { result: logFiles(this.directory), state: this.#state }
    if (operation.op === 'advance') this.#nowMs += Number(operation.ms)
    return this.#answered(operation, await this.#ask(this.#request(operation)))
  }

  async #answered(operation: Operation, answer: Answer): Promise<Outcome> {
    if (answer.refused !== undefined)
      return { refused: inOurWords(answer as KafkaRefusal), state: this.#state }
    return { result: await this.#result(operation, answer.result), state: this.#state }
  }

  async close(): Promise<void> {
    const { refused, message } = await this.#java.ask<Answer>({ op: 'close' })
    if (refused !== undefined) throw new Error(`Kafka does not close: ${refused} ${message}`)
  }

  async abandon(): Promise<void> {
    await this.#java.ask({ op: 'quit-log' })
  }

  async #open(topicId: string | null): Promise<LogState> {
    const { settings, highWatermark } = this.#opening
    const answer = await this.#ask({
      op: 'open',
      directory: this.directory,
      config: settings,
      nowMs: `${this.#nowMs}`,
      topicId,
      highWatermark,
    })
    if (answer.refused !== undefined) throw new Error(`Kafka does not open: ${answer.message}`)
    return this.#state
  }

  async #ask(request: object): Promise<Answer> {
    const answer = await this.#java.ask<Answer>(request)
    if (answer.state === undefined) return answer
    const { result: producers } = await this.#java.ask<Answer>({ op: 'producers' })
    this.#state = plainState({ ...answer.state, producers: producers as LogState['producers'] })
    return answer
  }

  #request(operation: Operation): object {
    switch (operation.op) {
      case 'append':
        return {
          ...operation,
          records: operation.records.map((record) => ({
            ...record,
            timestamp: record.timestamp ?? `${this.#nowMs}`,
          })),
          leaderEpoch: operation.leaderEpoch ?? this.#state.epochs.at(-1)?.epoch ?? 0,
        }
      case 'fetch':
        return { ...operation, isolation: operation.isolation ?? 'highWatermark' }
      case 'read':
        return fetchFrom(operation.offset, operation.isolation)
      default:
        return operation
    }
  }

  async #result(operation: Operation, result: unknown): Promise<unknown> {
    switch (operation.op) {
      case 'append':
      case 'leader':
      case 'follower':
      case 'marker':
        return places(result as Places | null)
      case 'fetch':
        return { bytes: toBase64(whole(result)), ...(operation.isolation && { aborted: abortedIn(result) }) }
      case 'read':
        return this.#readOn(operation, result)
      case 'advance':
      case 'retain':
        return logFilesButRenewed(this.directory)
      case 'clean':
        return { rounds: result, files: logFilesButRenewed(this.directory) }
      case 'locate':
        return this.#locateOn(result as Located)
      case 'time':
      case 'maxTime':
        return this.#readable(result as { offset: string } | null)
      default:
        return result
    }
  }

  /** A fetch gives one segment's bytes at most. */
  async #readOn(
    { offset, isolation }: Extract<Operation, { op: 'read' }>,
    first: unknown,
  ): Promise<string[]> {
    const lines: string[] = []
    const from = BigInt(offset)
    for (let read = first, bytes = whole(read); bytes.length > 0; bytes = whole(read)) {
      const found =
        isolation === undefined ? recordLines(bytes, from) : committedLines(bytes, from, abortedIn(read))
      lines.push(...found)
      const next = (wholeBatches(bytes).lastOffset as bigint) + 1n
      read = (await this.#ask(fetchFrom(`${next}`, isolation))).result
    }
    return lines
  }

  /** Behind a segment's last batch the next segment has it. */
  async #locateOn(located: Located): Promise<Located> {
    if (located.batch !== null) return located
    const { segments } = this.#state
    const next = segments[segments.findIndex(({ baseOffset }) => baseOffset === located.segment) + 1]
    if (next === undefined) return located
    const { result } = await this.#ask({ op: 'locate', offset: next.baseOffset })
    return this.#locateOn(result as Located)
  }

  /** Partition.fetchOffsetForTimestamp answers nothing at or above the high watermark. */
  #readable<Found extends { offset: string }>(found: Found | null): Found | null {
    return found !== null && BigInt(found.offset) >= BigInt(this.#state.highWatermark) ? null : found
  }
}

interface Places {
  readonly baseOffset: string
  readonly lastOffset: string
  readonly duplicate?: boolean
}

interface Located {
  readonly segment: string
  readonly batch: object | null
}

function places(result: Places | null): Places | null {
  if (result === null) return null
  const { baseOffset, lastOffset, duplicate } = result
  return { baseOffset, lastOffset, ...(duplicate === true ? { duplicate } : {}) }
}

function fetchFrom(offset: string, isolation: 'committed' | undefined): object {
  return {
    op: 'fetch',
    offset,
    maxBytes: READ_BYTES,
    minOneBatch: true,
    isolation: isolation ?? 'highWatermark',
  }
}

interface AbortedInKafka {
  readonly producerId: string
  readonly firstOffset: string
}

/** Kafka asks the offset index how far the bytes reach, which is behind them: what begins there is left out. */
function abortedIn(result: unknown): AbortedInKafka[] {
  const end = wholeBatches(whole(result)).lastOffset
  const { aborted } = result as { aborted: AbortedInKafka[] }
  return end === null ? [] : aborted.filter(({ firstOffset }) => BigInt(firstOffset) <= end)
}

function whole(result: unknown): Buffer {
  const bytes = fromBase64((result as { bytes: string }).bytes)
  return bytes.subarray(0, wholeBatches(bytes).length)
}

/**
 * Where an open transaction began below the log's start, Kafka says that what is stable ends at the start of the batch
 * that holds the log's start, or follows a gap there. That is the same as the start itself.
 */
function stableOf({ lastStableOffset, logStartOffset, producers }: LogState): string {
  const start = BigInt(logStartOffset)
  const beganBelow = producers.some(
    ({ currentTxnFirstOffset: first }) => first !== null && BigInt(first) < start,
  )
  return beganBelow || BigInt(lastStableOffset) < start ? logStartOffset : lastStableOffset
}

function plainState(state: LogState): LogState {
  return {
    ...state,
    lastStableOffset: stableOf(state),
    segments: state.segments.map((segment) => ({
      ...segment,
      largestTimestamp: segment.largestTimestamp ?? '-1',
    })),
  }
}
