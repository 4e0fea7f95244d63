/**
 * Opens mutants of log directories, one after the other, and says of each what
 * became of it, a line of JSON. A process of its own, so that a crash or a hang
 * is seen by whoever started it: `next` tells which mutant it was.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { loadBackend } from '../../../dist/backend/load.js'
import { loadCodec, PartitionLogError, recordBatches } from '../../../dist/index.js'
import { MACHINE } from '../../../dist/manager/machine.js'
import { openLogOn } from '../../../dist/manager/open-log.js'
import { openLogManagerOn } from '../../../dist/manager/open-log-manager.js'
import { mutated, randomOf } from './mutation.mjs'
import { pooledLanes } from './pooled-lanes.mjs'

const { subjects, scratch, backend, seed, from, to } = JSON.parse(process.argv[2] ?? '{}')
const machine = { ...MACHINE, backend: pooledLanes(loadBackend(backend).backend) }
const MARKER = '.kafka_cleanshutdown'
const say = (value) => writeSync(1, `${JSON.stringify(value)}\n`)

for (const codec of ['gzip', 'snappy', 'lz4', 'zstd']) await loadCodec(codec)
const known = subjects.map(readSubject)

/** What a subject holds: its files, and the records of its segments. */
function readSubject({ directory, name }) {
  const files = [
    ...readdirSync(directory).filter((file) => statSync(join(directory, file)).isFile()),
    ...readdirSync(join(directory, name)).map((file) => join(name, file)),
  ].filter((file) => !file.endsWith('.lock') && statSync(join(directory, file)).isFile())
  const logs = files.filter((file) => /\d{20}\.log(\.\w+)?$/.test(file))
  const records = new Map()
  const offsetsAt = new Map()
  for (const file of logs) {
    const bytes = readFileSync(join(directory, file))
    const places = []
    let position = 0
    for (const batch of recordBatches(bytes)) {
      places.push(position)
      position += batch.sizeInBytes
      for (const record of batch.records()) addRecord(records, record)
    }
    offsetsAt.set(file, places)
  }
  return { directory, name, files: weighted(files), records, offsetsAt }
}

/** Records themselves count for more than a checkpoint of 20 bytes. */
function weighted(files) {
  return files.flatMap((file) => (/\.log$/.test(file) ? [file, file, file] : [file]))
}

function addRecord(records, record) {
  const form = formOf(record)
  records.set(form, [...(records.get(form) ?? []), String(record.offset)])
}

function formOf({ key, value, timestamp, headers }) {
  const text = (bytes) => (bytes === null ? null : Buffer.from(bytes).toString('latin1'))
  return JSON.stringify([
    text(key),
    text(value),
    String(timestamp),
    headers.map((header) => [header.key, text(header.value)]),
  ])
}

const PATIENCE_MS = 500

for (let n = from; n < to; n++) {
  const first = await timed(n)
  // What was slow for want of a processor is not so again.
  const again = first.ms > PATIENCE_MS ? await timed(n) : first
  say({ ...first, ms: Math.min(first.ms, again.ms) })
}

async function timed(n) {
  const mutant = makeMutant(n)
  say({ next: n, what: mutant.what })
  const started = performance.now()
  const outcome = await outcomeOf(mutant)
  const ms = Math.round(performance.now() - started)
  rmSync(mutant.directory, { recursive: true, force: true })
  return { n, what: mutant.what, ms, ...outcome }
}

function makeMutant(n) {
  const below = randomOf(seed + n * 7)
  const subject = known[n % known.length]
  const round = Math.floor(n / known.length)
  const file = subject.files[round % subject.files.length]
  const bytes = readFileSync(join(subject.directory, file))
  const mutation = mutated(bytes, Math.floor(round / subject.files.length) + below(3) * 8 + (n % 8), below)
  const directory = join(scratch, `mutant-${n}`)
  mkdirSync(directory)
  for (const other of new Set(subject.files)) {
    mkdirSync(join(directory, subject.name), { recursive: true })
    cpSync(join(subject.directory, other), join(directory, other))
  }
  writeFileSync(join(directory, file), mutation.bytes)
  const isClean = below(2) === 0
  if (!isClean) rmSync(join(directory, MARKER), { force: true })
  else if (file !== MARKER) writeFileSync(join(directory, MARKER), '{"version":0,"brokerEpoch":-1}')
  const suffix = below(12)
  const renamed = suffix === 0 ? '.swap' : suffix === 1 ? '.cleaned' : ''
  if (renamed !== '' && file.includes('/0'))
    renameSync(join(directory, file), join(directory, `${file}${renamed}`))
  const how = ['open', 'open', 'open', 'cut', 'read-only', 'manager'][below(6)]
  const what = `${subject.name}/${file.replace(/^.*\//, '')}${renamed}: ${mutation.how}, ${isClean ? 'clean' : 'unclean'}, ${how}`
  return { what, how, directory, subject, file, mutation }
}

/** Whether the damage reached a base offset, which no checksum covers. */
function touchesOffsets({ subject, file, mutation }) {
  const places = subject.offsetsAt.get(file) ?? []
  return (
    places.some((position) => mutation.from < position + 8 && mutation.to > position) ||
    mutation.how.endsWith('twice')
  )
}

async function outcomeOf(mutant) {
  const { directory, how, subject } = mutant
  try {
    if (how === 'manager') return await throughManager(mutant)
    const options = how === 'read-only' ? { readOnly: true } : how === 'cut' ? { onDamage: 'cut' } : {}
    const log = await openLogOn(machine, join(directory, subject.name), options)
    return await used(log, mutant, () => log.close())
  } catch (error) {
    return refusal(error)
  }
}

async function throughManager(mutant) {
  const manager = await openLogManagerOn(machine, { logDirs: [mutant.directory] })
  const log = manager.logs()[0]
  if (log !== undefined) return used(log, mutant, () => manager.close())
  const [problem] = manager.problems
  await manager.close()
  return problem === undefined ? { opened: true, records: 0 } : refusal(problem.error)
}

/** Reads all of it, appends to it, closes it. */
async function used(log, mutant, close) {
  try {
    const wrong = []
    let records = 0
    let last = -1n
    for await (const record of log.read()) {
      records++
      if (record.offset <= last) wrong.push(`offset ${record.offset} after ${last}`)
      last = record.offset
      const offsets = mutant.subject.records.get(formOf(record))
      if (offsets === undefined) wrong.push(`a record at ${record.offset} that was never there`)
      else if (!offsets.includes(String(record.offset)) && !touchesOffsets(mutant))
        wrong.push(`the record of ${offsets} at ${record.offset}`)
    }
    if (mutant.how !== 'read-only' && !log.config.cleanupPolicy.includes('compact'))
      await log.append([{ value: 'one more' }]).durable()
    return { opened: true, records, wrong: wrong.slice(0, 3) }
  } finally {
    await close()
  }
}

function refusal(error) {
  if (error instanceof PartitionLogError) return { code: error.code }
  return { wrong: [`refused without a code: ${error?.stack ?? error}`] }
}
