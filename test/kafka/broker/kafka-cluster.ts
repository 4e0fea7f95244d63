/**
 * Kafka, as the tests use it: one broker on loopback that starts and ends
 * several times over one directory, and its clients. Every step has a
 * deadline on the Java side and a later one here.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { JavaProcess } from '../support/java-process.js'
import { type Entry, entryRequest, type RecordForm } from './entries.js'
import type { Isolation, PartitionModel, Transaction } from './partition-model.js'

const WITHIN_MS = 75_000

export interface Run {
  readonly pid: number
  /** The log directory. */
  readonly logDir: string
  /** File with all that this run of the broker prints. */
  readonly output: string
}

/** What a producer had done when its broker was killed. */
export interface KilledPartition {
  readonly partition: number
  readonly sent: number
  readonly acknowledged: readonly Omit<RecordForm, 'leaderEpoch' | 'timestampType'>[]
}

export class KafkaCluster {
  readonly #java: JavaProcess
  #pid: number | undefined
  #logDir = ''
  #writers = 0

  /** `home` is an empty folder for everything that the broker stores. */
  constructor(home: string) {
    this.#java = new JavaProcess('roundtrip.RoundtripMain', [home])
  }

  async start(): Promise<Run> {
    const run = await this.#ask<Run>('start', {})
    this.#pid = run.pid
    this.#logDir = run.logDir
    return run
  }

  /** A controlled shutdown. Writers not closed before are ended after it: their transactions stay open. */
  async stop(): Promise<void> {
    await this.#ask('stop', {})
    this.#pid = undefined
  }

  /** Producers that send without end, one for each partition, with the settings at its place. */
  async startSending(topic: string, settings: readonly object[]): Promise<void> {
    await this.#ask('startSending', { topic, settings })
  }

  /** SIGKILL when each producer has had so many records acknowledged and more are under way. */
  async killWhileSending(acknowledged: number): Promise<readonly KilledPartition[]> {
    const { partitions } = await this.#ask<{ partitions: KilledPartition[] }>('killWhileSending', {
      acknowledged,
    })
    this.#pid = undefined
    return partitions
  }

  /** Ends all processes, whatever state they are in. */
  async close(): Promise<void> {
    await this.#java.close()
    // The broker ends with the program that started it; this is for the case that it did not.
    if (this.#pid !== undefined && isRunning(this.#pid)) process.kill(this.#pid, 'SIGKILL')
  }

  async createTopic(topic: string, partitions: number, settings: object): Promise<void> {
    await this.#ask('createTopic', { topic, partitions, settings })
  }

  async deleteRecords(model: PartitionModel, before: bigint): Promise<void> {
    await this.#ask('deleteRecords', { ...placeOf(model), before: String(before) })
    model.deletedBefore(before)
  }

  /** Resolves when all segments but the active one are cleaned. */
  async awaitCleaned(model: PartitionModel): Promise<void> {
    await this.#ask('awaitCleaned', placeOf(model))
  }

  /** Runs `write` with a producer for the partition, and closes it. */
  async writing(model: PartitionModel, settings: object, write: (writer: KafkaWriter) => Promise<void>) {
    const writer = await this.openWriter(model, settings)
    await write(writer)
    await writer.close()
  }

  /** With `transactional.id` among the settings it can begin transactions. */
  async openWriter(model: PartitionModel, settings: object): Promise<KafkaWriter> {
    const writer = `writer ${++this.#writers}`
    await this.#ask('openWriter', { writer, ...placeOf(model), settings })
    return new KafkaWriter((op, request) => this.#ask(op, { writer, ...request }), model)
  }

  async read(model: PartitionModel, isolation: Isolation, from?: bigint): Promise<RecordForm[]> {
    const request = { ...placeOf(model), isolation, from: from === undefined ? null : String(from) }
    return (await this.#ask<{ records: RecordForm[] }>('read', request)).records
  }

  async bounds(model: PartitionModel, isolation: Isolation): Promise<{ start: bigint; end: bigint }> {
    const request = { ...placeOf(model), isolation }
    const { start, end } = await this.#ask<{ start: string; end: string }>('bounds', request)
    return { start: BigInt(start), end: BigInt(end) }
  }

  async offsetsForTimes(model: PartitionModel, isolation: Isolation, times: readonly bigint[]) {
    const request = { ...placeOf(model), isolation, times: times.map(String) }
    return (await this.#ask<{ found: FoundByTime[] }>('offsetsForTimes', request)).found
  }

  /** Base offsets of the segments that lie in the partition's directory, by rising offset. */
  segmentBases({ name }: PartitionModel): bigint[] {
    const files = readdirSync(join(this.#logDir, name)).filter((file) => file.endsWith('.log'))
    return files.sort().map((file) => BigInt(file.slice(0, -'.log'.length)))
  }

  #ask<Answer>(op: string, request: object): Promise<Answer> {
    return this.#java.ask<Answer>({ op, ...request }, WITHIN_MS)
  }
}

export type FoundByTime = { readonly offset: string; readonly timestamp: string } | null

function placeOf({ topic, partition }: PartitionModel) {
  return { topic, partition }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** A producer; tells its partition's model what it wrote and what it was told. */
export class KafkaWriter {
  readonly #ask: (op: string, request?: object) => Promise<unknown>
  readonly #model: PartitionModel
  #transaction: Transaction | undefined

  constructor(ask: (op: string, request?: object) => Promise<unknown>, model: PartitionModel) {
    this.#ask = ask
    this.#model = model
  }

  /** One batch. */
  async batch(...entries: Entry[]): Promise<void> {
    const answer = await this.#ask('batch', { entries: entries.map(entryRequest) })
    const offsets = (answer as { offsets: string[] }).offsets.map(BigInt)
    this.#model.wrote(entries, offsets, { transaction: this.#transaction })
  }

  async begin(): Promise<Transaction> {
    await this.#ask('begin')
    this.#transaction = { outcome: 'open' }
    return this.#transaction
  }

  async commit(): Promise<void> {
    await this.#end('commit', 'committed')
  }

  async abort(): Promise<void> {
    await this.#end('abort', 'aborted')
  }

  async close(): Promise<void> {
    await this.#ask('closeWriter')
  }

  async #end(op: 'commit' | 'abort', outcome: 'committed' | 'aborted'): Promise<void> {
    await this.#ask(op)
    if (this.#transaction !== undefined) this.#model.decided(this.#transaction, outcome)
    this.#transaction = undefined
  }
}
