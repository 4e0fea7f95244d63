/** What our engine writes: behind what Kafka left, and whole logs from nothing. */
import { join } from 'node:path'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import type { BackendName } from '../../../lib/backend/contract.js'
import { configFromNames, segmentBytesOf } from '../../../lib/config/log-config.js'
import { encodeBatch } from '../../../lib/format/encode-batch.js'
import type { AppendOptions } from '../../../lib/log/append.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { ReadOnlyPartitionLog } from '../../../lib/log/read-only-log.js'
import { openLog } from '../../../lib/manager/open-log.js'
import type { Entry } from './entries.js'
import type { PartitionModel } from './partition-model.js'
import { CODECS, codecEntries, HOUR, numberedEntries, oddEntries, TIME } from './payloads.js'

/** Neither has a cluster given out so far. */
const PRODUCER_ID = 777_000n
const LARGEST_BATCH = 145_000

type OpenedLog = PartitionLog | ReadOnlyPartitionLog

/** Runs `use` with a log and closes it, also where that fails: a log left open would keep every later turn out. */
export async function using<Log extends OpenedLog>(opening: Promise<Log>, use: (log: Log) => Promise<void>) {
  const log = await opening
  try {
    await use(log)
  } finally {
    await log.close()
  }
}

/** The log of `model` in a broker's directory, opened with the settings of its topic. */
export function openBrokersLog(
  logDir: string,
  { name }: PartitionModel,
  backend: BackendName,
  settings: Readonly<Record<string, string>>,
): Promise<PartitionLog> {
  const config = configFromNames(Object.entries(settings))
  return openLog(join(logDir, name), { backend, config, create: false })
}

/** Appends to a log and tells its model. */
class OurWriter {
  readonly #log: PartitionLog
  readonly #model: PartitionModel

  constructor(log: PartitionLog, model: PartitionModel) {
    this.#log = log
    this.#model = model
  }

  batch(entries: readonly Entry[], options: AppendOptions = {}): void {
    const { baseOffset } = this.#log.append(entries, options)
    this.#tell(entries, baseOffset)
  }

  /** Through an appender, which gathers them into a batch or more. */
  async sends(entries: readonly Entry[], compression: (typeof CODECS)[number]): Promise<void> {
    const appender = this.#log.appender({ compression, batchBytes: 1000 })
    const sent = await Promise.all(entries.map((entry) => appender.send(entry)))
    await appender.close()
    this.#model.wrote(
      entries,
      sent.map(({ offset }) => offset),
      { leaderEpoch: this.#epoch() },
    )
  }

  /** As a follower takes it: with offsets and leader epoch of its own, behind a gap. */
  batchFromLeader(entries: readonly Entry[], gap: bigint, partitionLeaderEpoch: number): void {
    const baseOffset = this.#model.end + gap
    const bytes = encodeBatch(entries, { baseOffset, partitionLeaderEpoch, compression: 'lz4' })
    this.#log.appendBatches(bytes, { origin: 'follower' })
    this.#model.skipTo(baseOffset)
    this.#tell(entries, baseOffset)
  }

  #tell(entries: readonly Entry[], baseOffset: bigint): void {
    const offsets = entries.map((_, index) => baseOffset + BigInt(index))
    this.#model.wrote(entries, offsets, { leaderEpoch: this.#epoch() })
  }

  /** The latest, which every append of ours goes on with or raises. */
  #epoch(): number {
    return this.#log.leaderEpochs.at(-1)?.epoch ?? 0
  }
}

/** Every way of appending, in the log's last leader epoch. */
export async function appendToBrokersLog(
  log: PartitionLog,
  model: PartitionModel,
  from: number,
  rolls: boolean,
) {
  const compacted = log.config.cleanupPolicy.includes('compact')
  const writer = new OurWriter(log, model)
  const takesLarge = segmentBytesOf(log.config) > LARGEST_BATCH
  writer.batch(oddEntries(from, compacted))
  await writeEachCodec(writer, from + 100, takesLarge)
  await writer.sends(numberedEntries(20, from + 200), 'zstd')
  if (rolls) log.roll()
  writer.batch(numberedEntries(3, from + 300))
}

async function writeEachCodec(writer: OurWriter, from: number, takesLarge: boolean) {
  for (const codec of CODECS) {
    await loadCodec(codec)
    const [small, large] = codecEntries(codec, from)
    writer.batch(small, { compression: codec })
    if (takesLarge) writer.batch(large, { compression: codec })
  }
}

/**
 * A log from nothing in a log directory of its own: several segments and leader epochs, every codec, gaps, a producer
 * with sequences, and a start above the first record. Gives the offset of a record that ends a batch without compression.
 */
export async function writeFromNothing(
  logDir: string,
  model: PartitionModel,
  backend: BackendName,
  lastEpoch = 2,
): Promise<bigint> {
  const config = { internalSegmentBytes: 150_000, indexIntervalBytes: 300 }
  let lastPlainOffset = 0n
  await using(openLog(join(logDir, model.name), { backend, config }), async (log) => {
    lastPlainOffset = await writeEverything(log, model, lastEpoch)
    // In the second segment, in the middle of a batch.
    const [, second] = log.segments
    model.deletedBefore(await log.deleteRecordsBefore((second?.baseOffset ?? 0n) + 1n))
  })
  return lastPlainOffset
}

async function writeEverything(log: PartitionLog, model: PartitionModel, lastEpoch: number): Promise<bigint> {
  const writer = new OurWriter(log, model)
  writer.batch(oddEntries(TIME))
  await writeEachCodec(writer, TIME + 100, true)
  writer.batch(numberedEntries(5, TIME + HOUR), { leaderEpoch: 1 })
  const lastPlainOffset = model.end - 1n
  writeAsProducer(writer, TIME + 2 * HOUR)
  await writer.sends(numberedEntries(200, TIME + 3 * HOUR), 'snappy')
  writer.batchFromLeader(numberedEntries(20, TIME + 4 * HOUR), 100n, lastEpoch)
  log.roll()
  writer.batchFromLeader(oddEntries(TIME + 5 * HOUR), 1_000n, lastEpoch)
  await writer.sends(numberedEntries(30, TIME + 6 * HOUR), 'none')
  return lastPlainOffset
}

function writeAsProducer(writer: OurWriter, from: number) {
  for (let batch = 0; batch < 30; batch++) {
    const producer = { id: PRODUCER_ID, epoch: 0, baseSequence: batch * 10 }
    writer.batch(numberedEntries(10, from + batch * 10), { producer })
  }
}
