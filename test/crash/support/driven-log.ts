/**
 * A log under test with what is known of it: each operation says first what may
 * be on the disk from now on, then works, then says what must be.
 */
import type { LogConfigInput } from '../../../lib/config/log-config.js'
import type { RecordInput } from '../../../lib/format/record.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { LogProducer } from '../../../lib/log/transaction-producer.js'
import { START_MS } from '../../support/machine.js'
import { type Known, NOT_THERE, type Superseded, type Timeline } from './law.js'
import { cleanedBelow, GONE, recordOf, supersededBelow } from './superseded.js'

export interface AppendShape {
  readonly batches?: number
  readonly records?: number
  /** Of each value, about. */
  readonly valueBytes?: number
  readonly leaderEpoch?: number
  /** Keys of the records, each in turn, over all batches; default: none. */
  readonly keys?: readonly string[]
  /** The records delete their keys. */
  readonly tombstones?: boolean
}

/** Of the one producer of all stories. */
export const PRODUCER = { id: 7 }

/** Values are never the same twice, in no log of the process. */
let serial = 0

export class DrivenLog {
  #log: PartitionLog | undefined
  #known: Known
  /** While a truncation is under way no more than this is durable. */
  #cap = Number.POSITIVE_INFINITY
  #producer: LogProducer | undefined
  /** Records of the transaction that is open. */
  #inTransaction: number[] = []
  /** Everything below went through a cleaning. */
  #cleanedEnd = 0

  constructor(known: Known = NOT_THERE) {
    this.#known = known
  }

  /** What is known now; what the log itself calls durable counts from the moment it says so. */
  get known(): Known {
    const published = Number(this.#log?.offsets.durableOffset ?? 0n)
    return { ...this.#known, durableEnd: Math.min(this.#cap, Math.max(this.#known.durableEnd, published)) }
  }

  get log(): PartitionLog {
    if (this.#log === undefined) throw new Error('the log is not open')
    return this.#log
  }

  #knows(change: Partial<Known>): void {
    this.#known = { ...this.#known, ...change }
  }

  /** `open` makes the log, or opens it as it was closed. */
  async open(open: () => Promise<PartitionLog>): Promise<void> {
    if (this.#known.exists === 'no') this.#knows({ exists: 'maybe' })
    const log = await open()
    this.#log = log
    this.#producer = undefined
    this.#knows({ exists: 'yes', isClosed: false })
  }

  append({
    batches = 1,
    records = 1,
    valueBytes = 20,
    leaderEpoch,
    keys,
    tombstones,
  }: AppendShape = {}): void {
    for (let n = 0; n < batches; n++) {
      const values = Array.from({ length: records }, (_, at) => {
        const key = keys?.[(n * records + at) % keys.length]
        const filling = tombstones === true ? GONE : 'x'.repeat(valueBytes)
        return [`v${serial++}`, ...(key === undefined ? [] : [key]), filling].join(' ')
      })
      const timed = values.map((value) => ({
        ...recordOf(value),
        timestamp: START_MS - 1_000_000 + Number(value.slice(1).split(' ')[0]),
      }))
      this.#appends(values, timed, leaderEpoch)
    }
  }

  #appends(
    values: readonly string[],
    records: readonly RecordInput[],
    leaderEpoch: number | undefined,
  ): void {
    const base = this.#timeline().length
    const end = base + values.length
    this.#knows({ timelines: [[...this.#timeline(), ...values]] })
    const options = leaderEpoch === undefined ? {} : { leaderEpoch }
    const producer = this.#producer
    if (producer === undefined) {
      this.log.append(records, options)
      return
    }
    this.#knows({
      sequences: { ...this.#known.sequences, [end - 1]: producer.nextSequence + values.length },
    })
    if (producer.inTransaction) this.#inTransaction.push(...values.map((_, at) => base + at))
    producer.append(records, options)
  }

  /** What follows is a transaction of the one producer. */
  begin(): void {
    this.#producer ??= this.log.producer(PRODUCER)
    this.#producer.begin()
    this.#knows({ aborted: this.#known.aborted ?? [] })
  }

  commit(): void {
    this.#end(() => this.#producer?.commit())
  }

  abort(): void {
    this.#knows({ aborted: [...(this.#known.aborted ?? []), ...this.#inTransaction] })
    this.#end(() => this.#producer?.abort())
  }

  /** The marker takes an offset. */
  #end(end: () => unknown): void {
    this.#knows({ timelines: [[...this.#timeline(), undefined]] })
    end()
    this.#inTransaction = []
  }

  /** Rolls, and cleans all that can be. With `drops` tombstones of the cleaning before are over their time. */
  async rollAndClean({ drops = false }: { readonly drops?: boolean } = {}): Promise<void> {
    this.log.roll()
    await this.clean({ drops })
  }

  async clean({ drops = false }: { readonly drops?: boolean } = {}): Promise<void> {
    const active = Number(this.log.segments.at(-1)?.baseOffset)
    const tombstonesBelow = drops ? this.#cleanedEnd : 0
    this.#knows({ superseded: supersededBelow(this.#known, active, tombstonesBelow) })
    const report = await this.log.clean()
    if (report === null) return
    this.#cleanedEnd = Number(report.endOffset)
    this.#knows({ superseded: cleanedBelow(this.#known, this.#cleanedEnd) })
  }

  #timeline(): Timeline {
    return this.#known.timelines[0] ?? []
  }

  async durable(): Promise<void> {
    const end = this.#timeline().length
    await this.log.whenDurable(BigInt(end - 1))
    this.#knows({ durableEnd: end })
  }

  async flush(): Promise<void> {
    const end = this.#timeline().length
    const epoch = this.log.leaderEpochs.at(-1)?.epoch ?? -1
    await this.log.flush()
    this.#knows({ durableEnd: Math.max(this.#known.durableEnd, end), epoch })
  }

  async truncateTo(offset: number): Promise<void> {
    this.#cap = Math.min(offset, this.known.durableEnd)
    const { epoch: _, ...known } = this.#known
    this.#known = { ...known, durableEnd: this.#cap, startMin: Math.min(known.startMin, offset) }
    if (known.superseded !== undefined) this.#knows({ superseded: cutAt(known.superseded, offset) })
    if (known.aborted !== undefined) this.#knows({ aborted: known.aborted.filter((at) => at < offset) })
    await this.log.truncateTo(BigInt(offset))
    this.#cleanedEnd = Math.min(this.#cleanedEnd, offset)
    this.#knows({
      timelines: [this.#timeline().slice(0, offset)],
      startMax: Math.min(this.#known.startMax, offset),
    })
    this.#cap = Number.POSITIVE_INFINITY
  }

  async deleteRecordsBefore(offset: number): Promise<void> {
    this.#knows({ startMax: offset })
    await this.log.deleteRecordsBefore(BigInt(offset))
    this.#knows({ startMin: offset })
  }

  async runRetention(): Promise<number> {
    this.#knows({ startMax: this.#timeline().length })
    const { deletions, logStartOffset } = await this.log.runRetention()
    this.#knows({ startMin: Number(logStartOffset), startMax: Number(logStartOffset) })
    return deletions.length
  }

  async updateConfig(config: LogConfigInput & { readonly retentionMs: number }): Promise<void> {
    const old = this.log.config.retentionMs
    this.#knows({ retentionMs: [old, config.retentionMs] })
    await this.log.updateConfig(config)
    this.#knows({ retentionMs: [config.retentionMs] })
  }

  /** `close` closes the log, alone or with others. */
  async close(close: () => Promise<void> = () => this.log.close()): Promise<void> {
    const end = this.#timeline().length
    const epoch = this.log.leaderEpochs.at(-1)?.epoch ?? -1
    await close()
    this.#knows({ durableEnd: end, isClosed: true, epoch })
  }

  /** `remove` deletes the log. */
  async delete(remove: () => Promise<unknown>): Promise<void> {
    this.#knows({ exists: 'maybe', durableEnd: 0, startMax: this.#timeline().length })
    this.#cap = 0
    await remove()
    this.#known = NOT_THERE
    this.#log = undefined
    this.#cap = Number.POSITIVE_INFINITY
  }
}

/** What took a record's place may be cut off now; those above the cut are others from now on. */
function cutAt(superseded: Readonly<Record<number, Superseded>>, end: number): Record<number, Superseded> {
  return Object.fromEntries(
    Object.entries(superseded)
      .filter(([offset]) => Number(offset) < end)
      .map(([offset, { by, isGone }]) => [offset, { by: by !== null && by >= end ? null : by, isGone }]),
  )
}
