/**
 * `npm test`: builds what is tested, then runs the tests on every backend that
 * can run here, then the crash proofs, then those beside Kafka where there is
 * Java and Maven. With arguments, which go to vitest (`npm test -- -t retention`),
 * the first only;
 * with PARTITION_LOG_KAFKA=required a machine without Java is a failure.
 *
 * Always true: the native tests run on a binary built from this tree, or not at
 * all, and then a line says so. The last line is `N passed, N failed`.
 */
import { checkLayers } from './check-layers.mjs'
import { prepareAddon } from './lib/addon-under-test.mjs'
import { missingForWitness } from './lib/kafka-witness.mjs'
import { Failure, main, root, runTool, step } from './lib/run.mjs'
import { runVitest } from './lib/vitest-run.mjs'
import { crashTests } from './test-crash.mjs'
import { kafkaTests } from './test-kafka.mjs'

await main(async () => {
  const extra = process.argv.slice(2)
  const withKafka = extra.length === 0 && isKafkaHere()
  await step('build dist', () => runTool('typescript/bin/tsc', ['-p', 'tsconfig.json']))
  await step('layers', () => console.log(checkLayers(root)))
  const native = await step('native addon', prepareAddon)
  const results = [await step('tests', () => runVitest([...projects(native, extra), ...extra], native))]
  if (extra.length === 0) results.push(await crashTests(native))
  if (withKafka) results.push(await kafkaTests(native))
  const sum = (key) => results.reduce((total, result) => total + result[key], 0)
  console.log(`${sum('passed')} passed, ${sum('failed')} failed`)
  process.exitCode = results.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0
})

function projects(native, extra) {
  if (extra.some((argument) => argument.startsWith('--project'))) return []
  return [...(native ? ['--project=native'] : []), '--project=portable']
}

function isKafkaHere() {
  const missing = missingForWitness()
  if (missing !== null && process.env.PARTITION_LOG_KAFKA === 'required') throw new Failure(missing)
  if (missing !== null) console.log(`${missing}: the tests beside a real Kafka are left out`)
  return missing === null
}
