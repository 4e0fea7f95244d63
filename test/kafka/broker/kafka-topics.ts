/**
 * The topics that Kafka's producers write: first into new logs, then again
 * when our engine has appended to them. A topic has one partition for each
 * of our backends, with the same content.
 */
import { INT64_MAX } from '../../../lib/base/int64.js'
import type { KafkaCluster, KafkaWriter } from './kafka-cluster.js'
import type { PartitionModel } from './partition-model.js'
import { CODECS, codecEntries, HOUR, numberedEntries, oddEntries, TIME } from './payloads.js'

type Write = (cluster: KafkaCluster, model: PartitionModel) => Promise<void>

export interface KafkaTopic {
  readonly name: string
  /** Under Kafka's names; our engine is opened with the same. */
  readonly settings: Readonly<Record<string, string>>
  /** Whether our engine may roll it. */
  readonly rolls: boolean
  readonly write: Write
  readonly writeAgain: Write
}

const AGAIN = TIME + 8 * HOUR
const SMALL_SEGMENTS = { 'internal.segment.bytes': '16384', 'index.interval.bytes': '300' }

const codecs: KafkaTopic = {
  name: 'codecs',
  settings: {},
  rolls: true,
  write: (cluster, model) => writeCodecs(cluster, model, TIME),
  writeAgain: (cluster, model) => writeCodecs(cluster, model, AGAIN),
}

async function writeCodecs(cluster: KafkaCluster, model: PartitionModel, from: number) {
  for (const codec of CODECS) {
    await cluster.writing(model, { 'compression.type': codec }, async (writer) => {
      for (const entries of codecEntries(codec, from)) await writer.batch(...entries)
      await writer.batch(...oddEntries(from))
    })
  }
}

/** Rolls by size; an idempotent producer, so that snapshots lie beside the segments. */
const segments: KafkaTopic = {
  name: 'segments',
  settings: SMALL_SEGMENTS,
  rolls: true,
  write: (cluster, model) => cluster.writing(model, {}, (writer) => writeMany(writer, 40, TIME)),
  writeAgain: (cluster, model) => cluster.writing(model, {}, (writer) => writeMany(writer, 20, AGAIN)),
}

async function writeMany(writer: KafkaWriter, batches: number, from: number) {
  for (let batch = 0; batch < batches; batch++) await writer.batch(...numberedEntries(5, from + batch * 1000))
}

/** Records are deleted up to the middle of a batch in the second segment. */
const deleted: KafkaTopic = {
  name: 'deleted',
  settings: SMALL_SEGMENTS,
  rolls: true,
  async write(cluster, model) {
    await segments.write(cluster, model)
    await cluster.deleteRecords(model, 78n)
  },
  async writeAgain(cluster, model) {
    await segments.writeAgain(cluster, model)
    await cluster.deleteRecords(model, model.end - 33n)
  },
}

/**
 * Committed, aborted, interleaved with others; at the end one stays open. Markers have the time of their writing: the
 * broker rolls for them, and snapshots lie beside the segments.
 */
const transactions: KafkaTopic = {
  name: 'transactions',
  settings: {},
  rolls: true,
  async write(cluster, model) {
    const first = await cluster.openWriter(model, { 'transactional.id': `first of ${model.name}` })
    const second = await cluster.openWriter(model, { 'transactional.id': `second of ${model.name}` })
    const plain = await cluster.openWriter(model, { 'enable.idempotence': 'false' })
    await plain.batch(...numberedEntries(2, TIME))
    await oneAfterAnother(first, second)
    await interleaved(first, second, plain)
    await leaveOpen(cluster, model, TIME + 500)
    await plain.batch(...numberedEntries(2, TIME + 600))
    for (const writer of [first, second, plain]) await writer.close()
  },
  async writeAgain(cluster, model) {
    // A producer with the id of the one that ended without a word has its transaction aborted.
    const left = model.openTransaction()
    const writer = await cluster.openWriter(model, { 'transactional.id': leftOpenId(model) })
    model.decided(left, 'aborted')
    await writer.begin()
    await writer.batch(...numberedEntries(3, AGAIN))
    await writer.commit()
    await writer.close()
    await leaveOpen(cluster, model, AGAIN + 500)
  },
}

/** The same in one segment, with no snapshot but the one that the broker leaves when it stops. */
const unrolled: KafkaTopic = {
  ...transactions,
  name: 'unrolled',
  settings: { 'segment.ms': String(INT64_MAX) },
  rolls: false,
}

async function oneAfterAnother(first: KafkaWriter, second: KafkaWriter) {
  await first.begin()
  await first.batch(...numberedEntries(3, TIME + 100))
  await first.batch(...numberedEntries(1, TIME + 110))
  await first.commit()
  await second.begin()
  await second.batch(...numberedEntries(2, TIME + 200))
  await second.abort()
}

async function interleaved(first: KafkaWriter, second: KafkaWriter, plain: KafkaWriter) {
  await first.begin()
  await second.begin()
  await first.batch(...numberedEntries(2, TIME + 300))
  await second.batch(...numberedEntries(2, TIME + 310))
  await plain.batch(...numberedEntries(1, TIME + 320))
  await first.batch(...numberedEntries(1, TIME + 330))
  await second.abort()
  await plain.batch(...numberedEntries(1, TIME + 340))
  await first.commit()
}

/** Not closed: the broker stops before the producer can say anything. */
export async function leaveOpen(cluster: KafkaCluster, model: PartitionModel, from: number) {
  const writer = await cluster.openWriter(model, { 'transactional.id': leftOpenId(model) })
  await writer.begin()
  await writer.batch(...numberedEntries(2, from))
}

function leftOpenId({ name }: PartitionModel): string {
  return `left open in ${name}`
}

/** Cleaned by the broker, ours among what is cleaned the second time. The step in time rolls. */
const compacted: KafkaTopic = {
  name: 'compacted',
  settings: {
    'cleanup.policy': 'compact',
    'segment.ms': String(3 * HOUR),
    'min.cleanable.dirty.ratio': '0.0001',
    'file.delete.delay.ms': '0',
    'index.interval.bytes': '0',
  },
  rolls: false,
  async write(cluster, model) {
    await cluster.writing(model, {}, async (writer) => {
      await writer.batch(...numberedEntries(25, TIME))
      await writer.batch(...oddEntries(TIME + 100, true))
      await writer.batch(...numberedEntries(7, TIME + 200))
      await rollAndClean(cluster, model, writer, TIME + 4 * HOUR)
    })
  },
  async writeAgain(cluster, model) {
    await cluster.writing(model, { 'compression.type': 'gzip' }, async (writer) => {
      await writer.batch(...numberedEntries(4, TIME + 5 * HOUR))
      await rollAndClean(cluster, model, writer, AGAIN)
    })
  },
}

async function rollAndClean(cluster: KafkaCluster, model: PartitionModel, writer: KafkaWriter, from: number) {
  const activeBaseOffset = model.end
  await writer.batch(...numberedEntries(12, from))
  await cluster.awaitCleaned(model)
  model.cleanedBelow(activeBaseOffset)
}

export const KAFKA_TOPICS: readonly KafkaTopic[] = [
  codecs,
  segments,
  deleted,
  transactions,
  unrolled,
  compacted,
]
