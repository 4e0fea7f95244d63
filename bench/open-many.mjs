/**
 * `npm run bench:open-many`: what opening and closing a directory of many logs
 * costs after a clean close, beside Kafka's own LogManager where Java is there.
 * One process a contender and round, warmed on a small directory, contenders
 * taking turns, medians of the rounds; one round before them is not counted.
 * All work on the same files, and the marker of a clean close is there for each.
 *
 * Options: --sizes 500,1000,2000 (logs), --segments 10, --rounds 3, --json.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import Table from 'cli-table3'
import { buildWitness, missingForWitness, witnessClassPath } from '../scripts/lib/kafka-witness.mjs'
import { isClean, makeLogs } from './many-logs.mjs'

const WARM_UP_LOGS = 50
const WARM_UPS = 5
/** Of a JVM beside the files of its logs, roughly. */
const OWN_DESCRIPTORS = 200
/** A broker's own heap limit by default. */
const JVM_OPTIONS = ['-Xmx1g', '-Dfile.encoding=UTF-8']
const worker = fileURLToPath(new URL('./open-many-worker.mjs', import.meta.url))

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '500,1000,2000' },
    segments: { type: 'string', default: '10' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
  },
})
const segments = Number(values.segments)
const sizes = values.sizes.split(',').map(Number)

const ours = (backend) => ({
  name: backend,
  run: (warm, logs) => runNode(backend, warm, logs),
  most: Infinity,
})
const kafka = (threads) => ({
  name: `Kafka, ${threads} thread${threads > 1 ? 's' : ''}`,
  run: (warm, logs) => runKafka(threads, warm, logs),
  most: (descriptorLimit() - OWN_DESCRIPTORS) / segments,
})
const contenders = [ours('native'), ours('portable'), ...(kafkaIsThere() ? [kafka(1), kafka(2)] : [])]

const results = []
for (const size of sizes) {
  const measured = await measureAll(size)
  results.push(...measured)
  // A long run that is cut short has told what it knows.
  for (const result of measured) console.error(JSON.stringify(result))
}
if (values.json) console.log(JSON.stringify(results, null, 2))
else print()

function kafkaIsThere() {
  const missing = missingForWitness()
  if (missing !== null) console.error(`Kafka is left out: ${missing}`)
  else buildWitness()
  return missing === null
}

/** Kafka opens the `.log` of every segment: with too few descriptors it cannot open the directory. */
function descriptorLimit() {
  if (process.platform === 'win32') return Infinity
  const limit = execFileSync('sh', ['-c', 'ulimit -H -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? Infinity : Number(limit)
}

async function measureAll(size) {
  const above = mkdtempSync(join(tmpdir(), 'partition-log-bench-'))
  try {
    const [warm, logs] = [join(above, 'warm'), join(above, 'logs')]
    await makeLogs(warm, 'warm', WARM_UP_LOGS, segments)
    await makeLogs(logs, 'many', size, segments)
    return measureRounds(size, warm, logs)
  } finally {
    rmSync(above, { recursive: true })
  }
}

function measureRounds(size, warm, logs) {
  const able = contenders.filter(({ name, most }) => {
    if (size > most) console.error(`${size} logs: ${name} is left out, too few descriptors are allowed`)
    return size <= most
  })
  const samples = new Map(able.map(({ name }) => [name, []]))
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { name, run } of able) {
      if (!isClean(logs)) throw new Error(`before ${name}: ${logs} was not closed cleanly`)
      const sample = run(warm, logs)
      if (sample.logs !== size) throw new Error(`${name} opened ${sample.logs} of ${size} logs`)
      if (round > 0) samples.get(name).push(sample)
    }
  }
  return [...samples].map(([name, of]) => ({ contender: name, ...medians(of) }))
}

function runNode(backend, warm, logs) {
  const args = [worker, backend, warm, logs, String(WARM_UPS)]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

function runKafka(threads, warm, logs) {
  const directories = [...Array(WARM_UPS).fill(warm), logs]
  const input = directories.map((directory) => `${JSON.stringify({ directory, threads })}\n`).join('')
  const command = [...JVM_OPTIONS, '-cp', witnessClassPath, 'partitionlog.kafka.bench.OpenManyMain']
  const replies = execFileSync('java', command, { encoding: 'utf8', input }).trim().split('\n')
  const { answer, fault } = JSON.parse(replies.at(-1))
  if (fault !== undefined) throw new Error(fault)
  return answer
}

/** Of each number by itself. */
function medians(of) {
  const names = Object.keys(of[0]).filter((name) => name !== 'problems')
  return Object.fromEntries(names.map((name) => [name, median(of.map((sample) => sample[name]))]))
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

function print() {
  const head = [
    'logs',
    'contender',
    'open ms',
    'close ms',
    'ms a log',
    'descriptors',
    'index maps',
    'peak MiB',
  ]
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const { logs, contender, openMs, closeMs, descriptors, indexMaps, peakKib } of results) {
    const times = [openMs.toFixed(0), closeMs.toFixed(0), perLog({ openMs, closeMs, logs }).toFixed(2)]
    table.push([logs, contender, ...times, descriptors ?? '', indexMaps ?? '', (peakKib / 1024).toFixed(0)])
  }
  console.log(table.toString())
  for (const { name } of contenders) printGrowth(name)
}

/** 1.00 is linear: a log costs among many what it costs among few. */
function printGrowth(name) {
  const of = results.filter(({ contender }) => contender === name)
  if (of.length < 2) return
  const [few, many] = [of[0], of.at(-1)]
  const ratio = (perLog(many) / perLog(few)).toFixed(2)
  console.log(`${name}: a log among ${many.logs} costs ${ratio} of what it costs among ${few.logs}`)
}

function perLog({ openMs, closeMs, logs }) {
  return (openMs + closeMs) / logs
}
