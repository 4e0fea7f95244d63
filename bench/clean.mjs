/**
 * `npm run bench:clean`: what a cleaning costs, beside Kafka's own classes on
 * the same files where Java is there. One process a contender and round,
 * contenders taking turns, medians of the rounds; one round before them is not
 * counted. Making, opening and closing logs is not timed.
 *
 * Options: --parts map,clean,loop, --keys 5000000, --mib 2048 (of dirty log),
 * --loop-mib 1024, --appends 2000 (a second), --codecs none,zstd, --rounds 3,
 * --portable-keys 1000000, --portable-mib 256 (for a look at the other backend),
 * --no-kafka, --json.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findJavas, runKafka, runNode } from './clean/contenders.mjs'
import { copyLogDirectory, makeDirtyLog } from './clean/load.mjs'
import { machine, printAll } from './clean/print.mjs'

/** A JVM gets fast by use; a thread of Node begins anew with each cleaning. */
const KAFKA_WARM_UPS = 4
const WARM_UP_MIB = 64
const WARM_UP_KEYS = [500_000, 500_000]

const { values } = parseArgs({
  options: {
    parts: { type: 'string', default: 'map,clean,loop' },
    keys: { type: 'string', default: '5000000' },
    mib: { type: 'string', default: '2048' },
    'loop-mib': { type: 'string', default: '1024' },
    'portable-keys': { type: 'string', default: '1000000' },
    'portable-mib': { type: 'string', default: '256' },
    appends: { type: 'string', default: '2000' },
    codecs: { type: 'string', default: 'none,zstd' },
    rounds: { type: 'string', default: '3' },
    'no-kafka': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const javas = values['no-kafka'] ? [] : findJavas()
const above = mkdtempSync(join(tmpdir(), 'partition-log-bench-'))
const parts = { map: measureMap, clean: measureClean, loop: measureLoop }
const results = { machine: machine(), map: [], clean: [], memory: [], loop: [] }
try {
  for (const part of values.parts.split(',')) await parts[part]()
} finally {
  rmSync(above, { recursive: true })
}
if (values.json) console.log(JSON.stringify(results, null, 2))
else printAll(results)

function measureMap() {
  const warmUps = WARM_UP_KEYS.map((count) => ({ keys: count }))
  const kafka = (java, keys) => ({
    name: `${java.name}, md5`,
    run: () => runKafka(java, [...warmUps, { keys }]),
  })
  const [many, few] = [Number(values.keys), Number(values['portable-keys'])]
  const hashes = ['md5', 'xxh3']
  const ours = hashes.map((hash) => filling('native', hash, many))
  noteMap(many, inTurns([...ours, ...javas.map((java) => kafka(java, many))], rounds))
  noteMap(
    few,
    inTurns(
      hashes.map((hash) => filling('portable', hash, few)),
      1,
    ),
  )
}

function filling(backend, hash, keys) {
  const run = () => runNode('map-worker.mjs', [backend, hash, keys, ...WARM_UP_KEYS])
  return { name: `${backend}, ${hash}`, run }
}

function noteMap(keys, samples) {
  for (const [contender, of] of samples) note('map', { contender, keys, ...medians(of) })
}

async function measureClean() {
  for (const codec of values.codecs.split(',')) {
    const [warm, dirty] = [join(above, `warm-${codec}`), join(above, `dirty-${codec}`)]
    await makeDirtyLog(warm, Math.min(WARM_UP_MIB, Number(values.mib)), codec)
    await makeDirtyLog(dirty, Number(values.mib), codec)
    const warmUps = Array(KAFKA_WARM_UPS).fill(warm)
    const contenders = [
      cleaning('native', [warm], dirty),
      ...javas.map((java) => kafkaCleaning(java, warmUps, dirty)),
    ]
    noteClean(codec, Number(values.mib), inTurns(contenders, rounds))
    measureMemory(codec, dirty)
    const small = join(above, `small-${codec}`)
    await makeDirtyLog(small, Number(values['portable-mib']), codec)
    const few = ['native', 'portable'].map((backend) => cleaning(backend, [warm], small))
    noteClean(codec, Number(values['portable-mib']), inTurns(few, 1))
    for (const directory of [warm, dirty, small]) rmSync(directory, { recursive: true })
  }
}

/** Nothing is cleaned before: a process keeps memory that it has had. */
function measureMemory(codec, dirty) {
  const contenders = [cleaning('native', [], dirty), ...javas.map((java) => kafkaCleaning(java, [], dirty))]
  for (const { name: contender, run } of contenders) {
    const { beforeKib, peakKib } = run()
    note('memory', { codec, mib: Number(values.mib), contender, beforeKib, peakKib })
  }
}

function noteClean(codec, mib, samples) {
  for (const [contender, of] of samples) {
    if (new Set(of.map(({ recordsWritten }) => recordsWritten)).size > 1)
      throw new Error(`${contender} differs`)
    const { beforeKib: _before, peakKib: _peak, ...measured } = medians(of)
    note('clean', { codec, mib, contender, ...measured })
  }
}

function cleaning(backend, before, dirty) {
  const run = () =>
    onCopies([...before, dirty], (copies) => runNode('clean-worker.mjs', [backend, 'md5', ...copies]))
  return { name: backend, run }
}

function kafkaCleaning(java, before, dirty) {
  const requests = (copies) => copies.map((directory) => ({ directory }))
  const run = () => onCopies([...before, dirty], (copies) => runKafka(java, requests(copies)))
  return { name: java.name, run }
}

async function measureLoop() {
  const mib = Number(values['loop-mib'])
  const dirty = join(above, 'loop')
  await makeDirtyLog(dirty, mib, 'none')
  let ms = 0
  const contender = (cleaned) => ({
    name: cleaned,
    run: () =>
      onCopies([dirty], (copies) => {
        const result = runNode('loop-worker.mjs', [
          'native',
          cleaned,
          values.appends,
          Math.round(ms),
          ...copies,
        ])
        ms = result.ms
        return result
      }),
  })
  // First one that says how long a cleaning takes.
  for (const [cleaned, of] of inTurns(['other', 'none', 'same'].map(contender), rounds)) {
    note('loop', { cleaned, mib, ...medians(of) })
  }
  rmSync(dirty, { recursive: true })
}

/** Of each contender the samples, but for those of the first round. */
function inTurns(contenders, counted) {
  const samples = new Map(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round <= counted; round++) {
    for (const { name, run } of contenders) {
      const sample = run()
      // A long run that is cut short has told what it knows.
      console.error(JSON.stringify({ round, name, ...sample }))
      if (round > 0) samples.get(name).push(sample)
    }
  }
  return samples
}

/** Runs `work` with directories of its own, when nobody's writes wait for the disk any more. */
function onCopies(directories, work) {
  const copies = directories.map((_, n) => join(above, `copy-${n}`))
  try {
    for (const [n, copy] of copies.entries()) copyLogDirectory(directories[n], copy)
    if (process.platform !== 'win32') execFileSync('sync')
    return work(copies)
  } finally {
    for (const copy of copies) rmSync(copy, { recursive: true, force: true })
  }
}

function note(part, result) {
  results[part].push(result)
}

/** Of each number by itself. */
function medians(of) {
  return Object.fromEntries(
    Object.keys(of[0]).map((name) => [name, median(of.map((sample) => sample[name]))]),
  )
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}
