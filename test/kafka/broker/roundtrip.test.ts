/**
 * A real broker and our engine take turns over one log directory. Each
 * `describe` is a turn, in order: what one leaves the next one finds. A topic
 * has two partitions, 0 for our native backend and 1 for the portable one.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openLog } from '../../../lib/manager/open-log.js'
import { codeOf } from '../../support/errors.js'
import { tempDir } from '../../support/temp-dir.js'
import { treeOf } from '../../support/tree.js'
import { complaints, outputLines, skippedRecovery } from './broker-output.js'
import { expectOpened, expectServed } from './comparisons.js'
import { KafkaCluster, type Run } from './kafka-cluster.js'
import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js'
import { appendToBrokersLog, openBrokersLog, writeFromNothing } from './our-writes.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, numberedEntries, TIME } from './payloads.js'
import { putInPlace } from './put-in-place.js'

const home = tempDir()
const cluster = new KafkaCluster(join(home, 'kafka'))
let run: Run

const BACKENDS = [
  { backend: 'native', partition: 0 },
  { backend: 'portable', partition: 1 },
] as const

/** Written by us from nothing, then served by Kafka. */
const ours: KafkaTopic = {
  name: 'ours',
  settings: {},
  write: () => Promise.resolve(),
  writeAgain: (kafka, model) =>
    kafka.writing(model, {}, (writer) => writer.batch(...numberedEntries(5, TIME + 8 * HOUR))),
}

const logs = [...KAFKA_TOPICS, ours].flatMap((topic) =>
  BACKENDS.map(({ backend, partition }) => ({
    topic,
    backend,
    model: new PartitionModel(topic.name, partition),
    name: `${topic.name}-${partition}`,
  })),
)

const kafkasLogs = logs.filter(({ topic }) => topic !== ours)
const ourLogs = logs.filter(({ topic }) => topic === ours)

async function startBroker(): Promise<void> {
  run = await cluster.start()
}

function complaintsOfThisRun(): string[] {
  return complaints(outputLines(run.output))
}

afterAll(() => cluster.close())

describe('Kafka writes', () => {
  beforeAll(async () => {
    await startBroker()
    for (const { name, settings } of [...KAFKA_TOPICS, ours]) await cluster.createTopic(name, 2, settings)
    for (const { topic, model } of logs) await topic.write(cluster, model)
  })

  it.each(kafkasLogs)('$name holds what the producers were told', ({ model }) => expectServed(cluster, model))

  it('makes no complaint', () => {
    expect(complaintsOfThisRun()).toEqual([])
  })

  afterAll(() => cluster.stop())
})

describe.each(BACKENDS)('we open what Kafka wrote, $backend', ({ backend }) => {
  const mine = kafkasLogs.filter((log) => log.backend === backend)

  it.each(mine)('$name is read whole', async ({ model, topic }) => {
    const log = await openBrokersLog(run.logDir, model, backend, topic.settings)
    await expectOpened(log, model)
    await log.close()
  })

  it.each(mine)('$name is appended to', async ({ model, topic }) => {
    const log = await openBrokersLog(run.logDir, model, backend, topic.settings)
    await appendToBrokersLog(log, model, TIME + 4.5 * HOUR)
    await expectOpened(log, model)
    await log.close()
  })
})

describe.each(ourLogs)('we write $name from nothing, $backend', ({ backend, model }) => {
  it('and put it in place', async () => {
    const directory = join(home, `ours of ${backend}`)
    mkdirSync(directory)
    await writeFromNothing(directory, model, backend)
    const log = await openLog(join(directory, model.name), { backend, readOnly: true })
    await expectOpened(log, model)
    await log.close()
    putInPlace(directory, model.name, run.logDir)
  })
})

describe('Kafka serves what we left', () => {
  beforeAll(startBroker)

  it('starts without a complaint, as after a shutdown of its own', () => {
    expect(complaintsOfThisRun()).toEqual([])
    expect(skippedRecovery(outputLines(run.output))).toBe(true)
  })

  it.each(logs)('$name', ({ model }) => expectServed(cluster, model))

  it.each(logs)('$name, and appends to it', async ({ topic, model }) => {
    await topic.writeAgain(cluster, model)
    await expectServed(cluster, model)
  })

  it('makes no complaint all the while', () => {
    expect(complaintsOfThisRun()).toEqual([])
  })

  afterAll(() => cluster.stop())
})

describe.each(BACKENDS)('we open it again, $backend', ({ backend }) => {
  it.each(logs.filter((log) => log.backend === backend))(
    '$name is read whole, and appended to in the new leader epoch',
    async ({ model, topic }) => {
      const log = await openBrokersLog(run.logDir, model, backend, topic === ours ? {} : topic.settings)
      await expectOpened(log, model)
      await appendToBrokersLog(log, model, TIME + 8.5 * HOUR)
      await log.close()
    },
  )
})

describe('Kafka is killed', () => {
  beforeAll(startBroker)

  it('starts without a complaint', () => {
    expect(complaintsOfThisRun()).toEqual([])
  })

  it.each(logs)('$name is served', ({ model }) => expectServed(cluster, model))
})
