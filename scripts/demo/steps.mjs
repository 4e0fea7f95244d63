/**
 * The steps of the demo, each on an open log: fill it, show its segments,
 * look up a time, read on from there, and compare all of it after reopening.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { RecordDigest } from './checks.mjs'
import { progressBar, say, seconds, table } from './print.mjs'
import { firstFrom } from './sources.mjs'

/** Batches appended before the event loop gets a turn. */
const BATCHES_PER_TURN = 16

/** Appends all records, batch by batch, and waits until they are on disk. */
export async function fill(log, { name, text, records, batchRecords }, checks) {
  say(`\n${name}: ${records.length} records of ${text}`)
  const bar = progressBar(name, records.length)
  const startedMs = performance.now()
  for (let at = 0, batches = 1; at < records.length; at += batchRecords, batches++) {
    log.append(records.slice(at, at + batchRecords))
    if (batches % BATCHES_PER_TURN !== 0) continue
    bar.at(at)
    await nextTurn()
  }
  const writtenMs = performance.now() - startedMs
  bar.end()
  await log.flush()
  const durableMs = performance.now() - startedMs
  const rate = Math.round(records.length / (writtenMs / 1000))
  say(`  appended in ${seconds(writtenMs)} (${rate} records/s), on disk after ${seconds(durableMs)}`)
  checks.equal(
    `log end and durable offset are ${records.length}`,
    `${log.offsets.logEndOffset}, ${log.offsets.durableOffset}`,
    `${records.length}, ${records.length}`,
  )
}

export function showSegments(log) {
  table(
    ['base offset', 'next offset', 'bytes', 'index entries', 'time entries', 'largest timestamp'],
    log.segments.map((segment) => [
      segment.baseOffset,
      segment.active ? `${segment.nextOffset} (active)` : segment.nextOffset,
      segment.sizeInBytes,
      segment.offsetIndexEntries,
      segment.timeIndexEntries,
      dateOf(segment.maxTimestamp),
    ]),
  )
}

/** The log's answer to a time must be the row that the file itself gives. */
export async function lookUp(log, source, checks) {
  const { lookUpMs, records } = source
  const index = firstFrom(source, lookUpMs)
  const expected = records[index]
  say(
    `  time ${dateOf(lookUpMs)}: the first row of the file from then on is number ${index}, ${expected.value}`,
  )
  const found = await log.offsetForTimestamp(lookUpMs)
  const record = found === null ? undefined : await first(log.read({ from: found.offset, maxRecords: 1 }))
  checks.equal(
    'the look-up by time gives that row',
    `offset ${found?.offset}, ${dateOf(found?.timestamp ?? -1)}, ${record?.value}`,
    `offset ${index}, ${dateOf(expected.timestamp)}, ${expected.value}`,
  )
}

/** A few records from the place that the time gave, by their time. */
export async function readSome(log, source, checks) {
  const index = firstFrom(source, source.lookUpMs)
  let at = index
  let equal = 0
  for await (const record of log.read({ from: { timestamp: source.lookUpMs }, maxRecords: 3 })) {
    say(`    ${record.offset}  ${dateOf(record.timestamp)}  key ${record.key}  ${record.value}`)
    const row = source.records[at]
    if (record.offset === BigInt(at) && String(record.value) === row?.value) equal++
    at++
  }
  checks.equal(`3 records read from offset ${index} on are the file's`, equal, 3)
}

/** Every record, in order, against the source. */
export async function checkReopened(log, { name, records }, checks) {
  const [expected, actual] = [new RecordDigest(), new RecordDigest()]
  for (const record of records) expected.add(record)
  const startedMs = performance.now()
  for await (const record of log.read()) actual.add(record)
  const readMs = performance.now() - startedMs
  const text = expected.toString()
  checks.equal(`${name} holds the file's ${text} (read in ${seconds(readMs)})`, actual.toString(), text)
}

async function first(iterable) {
  for await (const item of iterable) return item
  return undefined
}

/** @param {bigint | number} ms */
function dateOf(ms) {
  return ms < 0 ? 'no time' : new Date(Number(ms)).toISOString()
}
