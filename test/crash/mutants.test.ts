/**
 * Damaged files of every kind, ours and Kafka's: what cannot be read is refused
 * with a code, within a second; what opens gives no record that was not there.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { GOLDEN } from '../support/golden.js'
import { runs } from '../support/random.js'
import { memoryDir } from '../support/temp-dir.js'

/** Of each backend. */
const MUTANTS = 5_000
const MUTANTS_A_PROCESS = 250
const LIMIT_MS = 1_000
const HANG_MS = 20_000

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const PROCESS = join(import.meta.dirname, 'support/mutant-process.mjs')
const backend = process.env.PARTITION_LOG_BACKEND as 'native' | 'portable'

interface Subject {
  /** The log directory, and the log in it. */
  readonly directory: string
  readonly name: string
}

interface Line {
  readonly n?: number
  readonly what: string
  readonly ms?: number
  readonly opened?: boolean
  readonly records?: number
  readonly code?: string
  readonly wrong?: readonly string[]
}

it('mutants open, or are refused with a code', async () => {
  console.log(`SEED=${SEED}`)
  const subjects = [...(await ownSubjects()), ...kafkaSubjects()]
  const wrong: string[] = []
  const counts = { mutants: 0, opened: 0, records: 0, slowest: 0 }
  const codes = new Map<string, number>()
  const slow: Line[] = []
  for (let from = 0; from < runs(MUTANTS); from += MUTANTS_A_PROCESS) {
    const to = Math.min(runs(MUTANTS), from + MUTANTS_A_PROCESS)
    for (const line of await mutantsOf({ subjects, from, to })) {
      counts.mutants++
      counts.slowest = Math.max(counts.slowest, line.ms ?? 0)
      if (line.opened === true) counts.opened++
      counts.records += line.records ?? 0
      if (line.code !== undefined) codes.set(line.code, (codes.get(line.code) ?? 0) + 1)
      for (const text of line.wrong ?? []) wrong.push(`${line.n} ${line.what}: ${text}`)
      // Nothing is wrong with the disk, so nothing may be called an I/O error.
      if (line.code === 'ERR_IO') wrong.push(`${line.n} ${line.what}: refused with ERR_IO`)
      if ((line.ms ?? 0) > LIMIT_MS) slow.push(line)
    }
  }
  for (const { n = 0, what, ms } of slow)
    if (await isSlowAgain(subjects, n)) wrong.push(`${n} ${what}: took ${ms} ms`)
  const refused = [...codes].map(([code, count]) => `${count} ${code}`).join(', ')
  console.log(
    `${backend}: ${counts.mutants} mutants of ${subjects.length} logs: ${counts.opened} opened and gave ${counts.records} records; ` +
      `refused: ${refused}; the slowest took ${counts.slowest} ms`,
  )
  expect(wrong.slice(0, 20)).toEqual([])
  expect(counts.mutants).toBe(runs(MUTANTS))
  expect(counts.opened).toBeGreaterThan(counts.mutants / 10)
})

/** A machine that others use too can be slow once: what is slow by itself is slow each time. */
async function isSlowAgain(subjects: readonly Subject[], n: number): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const [line] = await mutantsOf({ subjects, from: n, to: n + 1 })
    if ((line?.ms ?? 0) <= LIMIT_MS) return false
  }
  return true
}

/** Logs of our own: several segments, epochs, small batches and compressed ones, and what deletions leave. */
async function ownSubjects(): Promise<Subject[]> {
  const directory = memoryDir()
  const config = { internalSegmentBytes: 1_500, indexIntervalBytes: 200, segmentIndexBytes: 1_200 }
  const plain = await openLog(join(directory, 'plain-0'), { config })
  for (let n = 0; n < 30; n++)
    plain.append([{ key: `k${n}`, value: `v${n} ${'x'.repeat(n * 7)}`, timestamp: 1_000 + n }], {
      leaderEpoch: Math.floor(n / 10),
    })
  await plain.deleteRecordsBefore(3)
  await plain.close()
  const packed = await openLog(join(directory, 'packed-1'), {
    config: { ...config, compressionType: 'gzip' },
  })
  for (let n = 0; n < 12; n++)
    packed.append(
      Array.from({ length: 5 }, (_, i) => ({
        value: `packed ${n} ${i} ${'y'.repeat(60)}`,
        timestamp: 2_000 + n,
      })),
    )
  await packed.close()
  return ['plain-0', 'packed-1'].map((name) => alone(directory, name))
}

/** Kafka's: each log with the checkpoints of its directory. */
function kafkaSubjects(): Subject[] {
  const folders = ['broker-4.4.0', 'legacy', 'control'].flatMap((folder) =>
    readdirSync(join(GOLDEN, folder))
      .filter((name) => /-\d+$/.test(name) && statSync(join(GOLDEN, folder, name)).isDirectory())
      .map((name) => [join(GOLDEN, folder), name] as const),
  )
  return folders.map(([directory, name]) => alone(directory, name))
}

/** A copy of one log and the files above it, in a directory of its own. */
function alone(from: string, name: string): Subject {
  const directory = memoryDir()
  for (const file of readdirSync(from)) {
    if (statSync(join(from, file)).isFile() && file !== '.gitignore')
      cpSync(join(from, file), join(directory, file))
  }
  mkdirSync(join(directory, name))
  cpSync(join(from, name), join(directory, name), { recursive: true })
  writeFileSync(join(directory, '.kafka_cleanshutdown'), '{"version":0,"brokerEpoch":-1}')
  return { directory, name }
}

async function mutantsOf(job: {
  readonly subjects: readonly Subject[]
  readonly from: number
  readonly to: number
}): Promise<Line[]> {
  const argument = JSON.stringify({ ...job, scratch: memoryDir(), backend, seed: SEED })
  const child = spawn(process.execPath, [PROCESS, argument], { stdio: ['ignore', 'pipe', 'pipe'] })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += String(text)
  })
  const lines: Line[] = []
  let at = 'before the first'
  let watch = setTimeout(() => child.kill('SIGKILL'), HANG_MS)
  for await (const text of createInterface({ input: child.stdout })) {
    clearTimeout(watch)
    watch = setTimeout(() => child.kill('SIGKILL'), HANG_MS)
    const line = JSON.parse(text) as Line & { next?: number }
    if (line.next === undefined) lines.push(line)
    else at = `${line.next} ${line.what}`
  }
  clearTimeout(watch)
  if (lines.length < job.to - job.from)
    throw new Error(
      `the process crashed or hung at ${at}: ${child.signalCode ?? child.exitCode} ${complaint}`,
    )
  return lines
}
