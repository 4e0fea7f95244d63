/**
 * Who takes part in `bench/clean.mjs`: this package's backends, and Kafka's own
 * classes on each Java that is here. Each run is a process of its own.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildWitness, missingForWitness, witnessClassPath } from '../../scripts/lib/kafka-witness.mjs'
import { capture } from '../../scripts/lib/run.mjs'

/** A broker's own, by kafka-server-start.sh. */
const JVM_OPTIONS = ['-Xmx1g', '-server', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20', '-Dfile.encoding=UTF-8']
const JVM_FOLDER = '/usr/lib/jvm'

/** The answer of a worker of this folder. */
export function runNode(worker, args) {
  const path = fileURLToPath(new URL(`./${worker}`, import.meta.url))
  return JSON.parse(execFileSync(process.execPath, [path, ...args.map(String)], { encoding: 'utf8' }))
}

/** The answer to the last of `requests`; those before warm the JVM. */
export function runKafka(java, requests) {
  const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('')
  const command = [...JVM_OPTIONS, '-cp', witnessClassPath, 'partitionlog.kafka.bench.CleanMain']
  // What Kafka logs is told only where it fails.
  const stdio = ['pipe', 'pipe', 'pipe']
  const replies = execFileSync(java.path, command, { encoding: 'utf8', input, stdio, maxBuffer: 2 ** 28 })
  const answers = replies
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const failed = answers.find(({ fault }) => fault !== undefined)
  if (failed !== undefined) throw new Error(failed.fault)
  return answers.at(-1).answer
}

/** The Java of the path, and the newest beside it: `{ path, name }`; none where Kafka cannot run here. */
export function findJavas() {
  const missing = missingForWitness()
  if (missing !== null) {
    console.error(`Kafka is left out: ${missing}`)
    return []
  }
  buildWitness()
  const paths = [
    'java',
    ...installed()
      .map((home) => join(home, 'bin/java'))
      .filter((path) => existsSync(path)),
  ]
  const found = paths.map((path) => ({ path, version: versionOf(path) }))
  const [own, ...others] = found
  const newest = others.reduce((best, java) => (java.version > best.version ? java : best), own)
  return [own, ...(newest === own ? [] : [newest])].map(({ path, version }) => ({
    path,
    name: `Kafka, Java ${version}`,
  }))
}

function installed() {
  const homes = existsSync(JVM_FOLDER) ? readdirSync(JVM_FOLDER).map((name) => join(JVM_FOLDER, name)) : []
  return process.env.JAVA_HOME ? [process.env.JAVA_HOME, ...homes] : homes
}

function versionOf(path) {
  const text = capture(path, ['-XshowSettings:properties', '-version'], { mergeErrors: true }) ?? ''
  return Number(/java\.specification\.version = (\d+)/.exec(text)?.[1] ?? 0)
}
