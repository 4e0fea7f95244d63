/**
 * `npm run test:kafka`: the tests beside a real Kafka, on both backends in one
 * run. Needs Java and Maven. More arguments go to vitest. `KAFKA_SEED=n` is the
 * seed of these tests alone.
 */
import { resolve } from 'node:path'
import { prepareAddon } from './lib/addon-under-test.mjs'
import { buildWitness, missingForWitness } from './lib/kafka-witness.mjs'
import { Failure, main, runTool, step } from './lib/run.mjs'
import { runVitest } from './lib/vitest-run.mjs'

/** @param {'build' | 'prebuild' | null} native where the addon under test comes from */
export async function kafkaTests(native, extra = []) {
  await step('Kafka', buildWitness)
  return step('tests beside Kafka', () => {
    const seed = process.env.KAFKA_SEED
    const env = seed === undefined ? {} : { SEED: seed }
    return runVitest(['--config', 'vitest.kafka.config.ts', ...extra], native, { env })
  })
}

if (process.argv[1] === resolve(import.meta.filename)) {
  await main(async () => {
    const missing = missingForWitness()
    if (missing !== null) throw new Failure(`${missing}: these tests need Java 17 or later and Maven`)
    await step('build dist', () => runTool('typescript/bin/tsc', ['-p', 'tsconfig.json']))
    const native = await step('native addon', prepareAddon)
    const { passed, failed, exitCode } = await kafkaTests(native, process.argv.slice(2))
    console.log(`${passed} passed, ${failed} failed`)
    process.exitCode = exitCode
  })
}
