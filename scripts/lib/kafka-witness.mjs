/**
 * The Maven project in test/kafka: Kafka's own classes, which the tests are
 * compared with. Says what this machine lacks for it, and builds it.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { capture, root, run } from './run.mjs'

const project = join(root, 'test/kafka')
const stamp = join(project, 'target/built-from')
const OLDEST_JAVA = 17

/** Kafka's jars and what is compiled here, for `java -cp`. */
export const witnessClassPath = [join(project, 'target/classes'), join(project, 'target/lib/*')].join(
  delimiter,
)

/** @returns {string | null} what is missing to build and run it; null where nothing is */
export function missingForWitness() {
  const java = capture('java', ['-XshowSettings:properties', '-version'], { mergeErrors: true })
  if (java === null) return 'no Java'
  const version = Number(/java\.specification\.version = (\d+)/.exec(java)?.[1] ?? 0)
  if (version < OLDEST_JAVA) return `Java ${OLDEST_JAVA} or later is needed`
  return capture('mvn', ['--version']) === null ? 'no Maven' : null
}

/** Compiles it and gathers its jars, if its sources changed since this was last done. */
export function buildWitness() {
  const wanted = sourceHash()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
  for (const made of ['classes', 'maven-status'])
    rmSync(join(project, 'target', made), { recursive: true, force: true })
  const goals = ['compile', 'dependency:copy-dependencies']
  const settings = ['-DincludeScope=runtime', `-DoutputDirectory=${join(project, 'target/lib')}`]
  run('mvn', ['--quiet', '--batch-mode', '--file', join(project, 'pom.xml'), ...goals, ...settings])
  writeFileSync(stamp, wanted)
}

function sourceHash() {
  const hash = createHash('sha256').update(readFileSync(join(project, 'pom.xml')))
  const source = join(project, 'src')
  for (const path of readdirSync(source, { recursive: true }).map(String).sort()) {
    if (/\.(java|properties)$/.test(path)) hash.update(path).update(readFileSync(join(source, path)))
  }
  return hash.digest('hex')
}
