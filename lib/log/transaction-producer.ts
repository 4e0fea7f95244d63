/**
 * A producer of one log: it counts sequences, and begins and ends transactions.
 * It goes on where the log's state of its id stands, so that a new process
 * continues what an old one began.
 */

import { type Int64Input, toInt64, toInteger } from '../base/int64.js'
import { checkKnown, knownKeys } from '../base/options.js'
import { PartitionLogError } from '../errors.js'
import type { RecordInput } from '../format/record.js'
import { addToSequence } from '../format/record-batch.js'
import type { AppendOptions } from './append.js'
import type { AppendResult } from './append-result.js'
import type { EndTransactionOptions } from './end-transaction.js'
import type { LogCore } from './log-core.js'
import { lastSequenceOf } from './producers/producer-state.js'

export interface ProducerOptions {
  readonly id: Int64Input
  /** Default: the epoch that the log knows of it, or 0. A higher one fences who still writes with a lower one. */
  readonly epoch?: number
}

/** What a producer's append takes besides its records. */
export type ProducerAppendOptions = Omit<AppendOptions, 'producer'>

/** The log's own methods that a producer uses. */
export interface ProducedLog {
  append(records: readonly RecordInput[], options: AppendOptions): AppendResult
  endTransaction(options: EndTransactionOptions): AppendResult
}

const OPTIONS = knownKeys<ProducerOptions>({ id: true, epoch: true })
const INT16_MAX = 32_767

export class LogProducer {
  readonly id: bigint
  readonly epoch: number
  readonly #core: LogCore
  readonly #log: ProducedLog
  #nextSequence: number
  #hasBegun: boolean

  /** @internal Producers are made by `log.producer`. */
  constructor(core: LogCore, log: ProducedLog, options: ProducerOptions) {
    core.assertWritable()
    checkKnown(options, OPTIONS)
    this.id = toInt64('id', options.id, 0n)
    const known = core.producers.table.state(this.id)
    const { epoch = Math.max(0, known?.producerEpoch ?? 0) } = options
    this.epoch = toInteger('epoch', epoch, 0, INT16_MAX)
    this.#core = core
    this.#log = log
    const goesOn = known !== undefined && known.producerEpoch === this.epoch
    const last = goesOn ? lastSequenceOf(known) : -1
    this.#nextSequence = last < 0 ? 0 : addToSequence(last, 1)
    this.#hasBegun = goesOn && known.transactionFirstOffset !== null
  }

  /** Whether a transaction is open: begun here, or found open in the log. */
  get inTransaction(): boolean {
    return this.#hasBegun
  }

  /** Sequence of the next record. */
  get nextSequence(): number {
    return this.#nextSequence
  }

  /** What is appended from now on is one transaction, until `commit` or `abort`. */
  begin(): void {
    if (this.#hasBegun)
      throw wrongState(`producer ${this.id} has a transaction open: commit or abort it first`)
    this.#hasBegun = true
  }

  /** As `log.append`, with the producer's sequences; part of the transaction where one is open. */
  append(records: readonly RecordInput[], options: ProducerAppendOptions = {}): AppendResult {
    const { id, epoch } = this
    const producer = { id, epoch, baseSequence: this.#nextSequence, transactional: this.#hasBegun }
    const result = this.#log.append(records, { ...options, producer })
    this.#nextSequence = addToSequence(this.#nextSequence, records.length)
    return result
  }

  /** The transaction's records are readable for all. Null where nothing was appended in it: no marker is written. */
  commit(): AppendResult | null {
    return this.#end(true)
  }

  /** The transaction's records are skipped by readers of committed data. Null as for `commit`. */
  abort(): AppendResult | null {
    return this.#end(false)
  }

  #end(commit: boolean): AppendResult | null {
    if (!this.#hasBegun) throw wrongState(`producer ${this.id} has no transaction open: begin one first`)
    const known = this.#core.producers.table.state(this.id)
    const isEmpty = (known?.transactionFirstOffset ?? null) === null
    const end = { producerId: this.id, producerEpoch: this.epoch, commit }
    const result = isEmpty ? null : this.#log.endTransaction(end)
    this.#hasBegun = false
    return result
  }
}

function wrongState(message: string): PartitionLogError {
  return new PartitionLogError('ERR_INVALID_TRANSACTION_STATE', message)
}
