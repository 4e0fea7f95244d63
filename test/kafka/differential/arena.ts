/** Where scripts are played: one Kafka for all of them, and fresh directories for each. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import type { Backend } from '../../../lib/backend/contract.js'
import { CODEC_NAMES } from '../../../lib/format/compression.js'
import { bothBackends } from '../../support/backend.js'
import { tempDir } from '../../support/temp-dir.js'
import { JavaProcess } from '../support/java-process.js'
import type { Contender } from './contender.js'
import { KafkaContender } from './kafka-contender.js'
import { OurContender } from './our-contender.js'

export class Arena {
  readonly #java: JavaProcess
  readonly #backends: readonly Backend[]

  private constructor(java: JavaProcess, backends: readonly Backend[]) {
    this.#java = java
    this.#backends = backends
  }

  /** Both backends or none: a suite that left one out would say less than its name. */
  static async open(): Promise<Arena> {
    const backends = bothBackends()
    if (backends.length === 0) throw new Error('build the native backend first: npm run native:build')
    await Promise.all(CODEC_NAMES.map(loadCodec))
    return new Arena(new JavaProcess('driver.DriverMain'), backends)
  }

  /** Contenders without a log yet, ours first; their directories are removed when `work` is done. */
  async play<T>(work: (contenders: readonly Contender[]) => Promise<T>): Promise<T> {
    const directory = tempDir()
    const contenders = [
      ...this.#backends.map((backend) => new OurContender(backend, join(directory, backend.name))),
      new KafkaContender(this.#java, join(directory, 'kafka')),
    ]
    for (const contender of contenders) mkdirSync(contender.directory)
    try {
      return await work(contenders)
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  close(): Promise<void> {
    return this.#java.close()
  }
}
