/** A partition as Kafka's consumers and as our engine read it, compared with its model. */
import { expect } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { ReadOnlyPartitionLog } from '../../../lib/log/read-only-log.js'
import { type RecordForm, readForm } from './entries.js'
import type { FoundByTime, KafkaCluster, KilledPartition } from './kafka-cluster.js'
import { ISOLATIONS, type Isolation, type PartitionModel } from './partition-model.js'

/** How many places in a log are looked up. */
const PLACES = 4

/** Kafka serves exactly the model: to both isolation levels, from the start, from offsets, by time. */
export async function expectServed(cluster: KafkaCluster, model: PartitionModel): Promise<void> {
  for (const isolation of ISOLATIONS) {
    const end = isolation === 'read_committed' ? model.lastStableOffset : model.end
    expect(await cluster.bounds(model, isolation), isolation).toEqual({ start: model.start, end })
    expectRecords(model, isolation, await cluster.read(model, isolation))
    for (const from of spread(offsetsToAskFor(model)))
      if (from <= end) expectRecords(model, isolation, await cluster.read(model, isolation, from), from)
    await expectTimes(cluster, model, isolation)
  }
}

async function expectTimes(cluster: KafkaCluster, model: PartitionModel, isolation: Isolation) {
  const times = timesToAskFor(model)
  const found = await cluster.offsetsForTimes(model, isolation, times)
  const bases = cluster.segmentBases(model)
  for (const [index, time] of times.entries())
    expectFound(found[index] ?? null, model.firstByBroker(time, isolation, bases), time)
}

/** The time of a marker is not known: it is that of its writing. */
function expectFound(
  found: FoundByTime,
  wanted: { offset: bigint; timestamp?: bigint } | null,
  time: bigint,
) {
  const { offset, timestamp = found?.timestamp } = wanted ?? {}
  const form = wanted && { offset: String(offset), timestamp: String(timestamp) }
  expect(found, `time ${time}`).toEqual(form)
}

/** Our engine reads exactly the model (uncommitted), knows its leader epochs, and finds by offset and by time. */
export async function expectOpened(
  log: PartitionLog | ReadOnlyPartitionLog,
  model: PartitionModel,
): Promise<void> {
  const { logStartOffset, logEndOffset } = log.offsets
  expect({ start: logStartOffset, end: logEndOffset }).toEqual({ start: model.start, end: model.end })
  const seen = await formsOf(log)
  expectRecords(model, 'read_uncommitted', seen)
  for (const { offset, leaderEpoch } of seen) expect(epochAt(log, offset), offset).toBe(leaderEpoch)
  for (const from of spread(offsetsToAskFor(model)))
    expectRecords(model, 'read_uncommitted', await formsOf(log, from), from)
  for (const time of timesToAskFor(model)) {
    const found = await log.offsetForTimestamp(time)
    const form = found && { offset: String(found.offset), timestamp: String(found.timestamp) }
    expectFound(form, model.firstFrom(time), time)
  }
}

/** What our engine reads from `from` on, or from the start. */
export async function formsOf(
  log: PartitionLog | ReadOnlyPartitionLog,
  from = log.offsets.logStartOffset,
): Promise<RecordForm[]> {
  const forms: RecordForm[] = []
  for await (const batch of log.read({ from }).batches()) {
    if (batch.isControl) continue
    for (const record of batch.records())
      if (record.offset >= from) forms.push(readForm(record, batch.partitionLeaderEpoch))
  }
  return forms
}

/** By the log's history of leader epochs. */
function epochAt(log: PartitionLog | ReadOnlyPartitionLog, offset: string): number | undefined {
  return log.leaderEpochs.findLast(({ startOffset }) => startOffset <= BigInt(offset))?.epoch
}

/** The records are those of the model, field by field. */
export function expectRecords(
  model: PartitionModel,
  isolation: Isolation,
  seen: readonly RecordForm[],
  from?: bigint,
): void {
  model.learnEpochs(seen)
  expect(seen, `${model.name} ${isolation} from ${from ?? 'its start'}`).toEqual(model.forms(isolation, from))
}

/**
 * What is left of a partition whose producer sent numbered records until its broker was killed: the first so many of
 * them without a gap, every acknowledged one among them with the offset that was told.
 */
export function expectKept(killed: KilledPartition | undefined, seen: readonly RecordForm[]): void {
  if (killed === undefined) throw new Error('nothing was sent')
  const { sent, acknowledged } = killed
  expect(seen.length).toBeGreaterThanOrEqual(acknowledged.length)
  expect(seen.length).toBeLessThanOrEqual(sent)
  for (const [number, { offset, value }] of seen.entries()) {
    const text = Buffer.from(String(value), 'base64').toString()
    expect(offset).toBe(String(number))
    expect(text.startsWith(`record ${number} `), text).toBe(true)
  }
  const byOffset = new Map(seen.map(({ leaderEpoch: _, timestampType: __, ...form }) => [form.offset, form]))
  for (const record of acknowledged) expect(byOffset.get(record.offset)).toEqual(record)
}

/** Also between the records, where there are gaps. */
function offsetsToAskFor(model: PartitionModel): bigint[] {
  return model.offsets('read_uncommitted').flatMap((offset) => [offset, offset + 1n])
}

/** At, before and behind times of records. */
function timesToAskFor(model: PartitionModel): bigint[] {
  return [0n, ...spread(model.timestamps()).flatMap((time) => [time - 1n, time, time + 1n])]
}

function spread(values: readonly bigint[]): bigint[] {
  const step = Math.max(1, Math.ceil(values.length / PLACES))
  return values.filter((_, index) => index % step === step - 1 || index === values.length - 1)
}
