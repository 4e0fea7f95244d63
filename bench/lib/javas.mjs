/**
 * The Javas that run Kafka's side: the path's own, and the newest beside it.
 * Kafka's classes and ours are built before the first is used.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildWitness, missingForWitness, witnessClassPath } from '../../scripts/lib/kafka-witness.mjs'
import { capture, root } from '../../scripts/lib/run.mjs'

/** A broker's own, by kafka-server-start.sh. */
const SMALL = ['-Xmx1g', '-Dfile.encoding=UTF-8']
const JVM_OPTIONS = [...SMALL, '-server', '-XX:+UseG1GC', '-XX:MaxGCPauseMillis=20']
/** What Kafka tells of every segment that it rolls is nobody's to read here, and would cost it time. */
const QUIET = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error']
/** Where nothing is judged by its time. */
const SOON_READY = ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC']
const JVM_FOLDER = '/usr/lib/jvm'
const MAIN = 'partitionlog.kafka.bench.row.RowMain'

/** `[{ name: 'kafka-17', path, version }]`; none where Kafka cannot run here, which `say` is told of. */
export function findJavas(say) {
  const missing = missingForWitness()
  if (missing !== null) {
    say(`Kafka is left out: ${missing}`)
    return []
  }
  buildWitness()
  const [own, ...others] = candidates().map((path) => ({ path, ...versionOf(path) }))
  const newest = others.reduce((best, java) => (java.major > best.major ? java : best), own)
  return [own, ...(newest === own ? [] : [newest])].map(({ path, major, version }) => ({
    name: `kafka-${major}`,
    path,
    version,
  }))
}

/** The command that runs a row on a Java; `smoke` where it is to be ready soon and not to be fast. */
export function javaCommand(java, request, { smoke }) {
  const options = smoke ? [...SMALL, ...SOON_READY] : JVM_OPTIONS
  const args = [...options, ...QUIET, '-cp', witnessClassPath, MAIN, JSON.stringify(request)]
  return { command: java.path, args }
}

/** As test/kafka/pom.xml has it. */
export function kafkaVersion() {
  const pom = readFileSync(join(root, 'test/kafka/pom.xml'), 'utf8')
  return /<kafka\.version>(.+)<\/kafka\.version>/.exec(pom)?.[1] ?? 'unknown'
}

function candidates() {
  const homes = existsSync(JVM_FOLDER) ? readdirSync(JVM_FOLDER).map((name) => join(JVM_FOLDER, name)) : []
  const all = process.env.JAVA_HOME ? [process.env.JAVA_HOME, ...homes] : homes
  return ['java', ...all.map((home) => join(home, 'bin/java')).filter((path) => existsSync(path))]
}

function versionOf(path) {
  const text = capture(path, ['-XshowSettings:properties', '-version'], { mergeErrors: true }) ?? ''
  const property = (name) => new RegExp(`java\\.${name} = (.+)`).exec(text)?.[1]?.trim()
  return { major: Number(property('specification.version') ?? 0), version: property('version') ?? 'unknown' }
}
