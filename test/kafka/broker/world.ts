/** The broker, its directory and the logs in it, as all turns share them. */
import { complaints, outputLines } from './broker-output.js'
import { KafkaCluster, type Run } from './kafka-cluster.js'
import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js'
import { PartitionModel } from './partition-model.js'
import { HOUR, numberedEntries, TIME } from './payloads.js'

/** Each has a partition of every topic. */
export const BACKENDS = [
  { backend: 'native', partition: 0 },
  { backend: 'portable', partition: 1 },
] as const

/** Written by us from nothing. */
export const OURS: KafkaTopic = {
  name: 'ours',
  settings: {},
  rolls: true,
  write: () => Promise.resolve(),
  writeAgain: (kafka, model) =>
    kafka.writing(model, {}, (writer) => writer.batch(...numberedEntries(5, TIME + 8 * HOUR))),
}

export class World {
  readonly cluster: KafkaCluster
  readonly logs = [...KAFKA_TOPICS, OURS].flatMap((topic) =>
    BACKENDS.map(({ backend, partition }) => ({
      topic,
      backend,
      model: new PartitionModel(topic.name, partition),
      name: `${topic.name}-${partition}`,
    })),
  )
  #run: Run | undefined

  /** `home`: an empty folder for all that Kafka stores. */
  constructor(home: string) {
    this.cluster = new KafkaCluster(home)
  }

  async startBroker(): Promise<void> {
    this.#run = await this.cluster.start()
  }

  get logDir(): string {
    return this.#latestRun().logDir
  }

  /** What the broker has printed since its last start. */
  output() {
    return outputLines(this.#latestRun().output)
  }

  complaints(): string[] {
    return complaints(this.output())
  }

  #latestRun(): Run {
    if (this.#run === undefined) throw new Error('the broker has not been started')
    return this.#run
  }
}
