/**
 * Dumps a `.timeindex`, each entry checked against the batch that it names.
 */

import { corrupt } from '../../errors.js'
import { EXIT } from '../failure.js'
import { toJson } from '../json.js'
import { damageOf } from './damage.js'
import type { DumpRun } from './dump-run.js'
import { type DumpedFile, withFile } from './dumped-file.js'
import { type BatchHead, batchHead, entryOf } from './file-batches.js'
import { capacityOf, TIME_ENTRY_BYTES, type TimeEntry, timeEntries, timeEntryAt } from './index-entries.js'
import { tellSane } from './index-file.js'
import { positionBefore } from './index-lookup.js'
import type { NamedFile } from './named-file.js'
import { openedRecords } from './opened-records.js'

const NOT_FOUND = -1n

export async function dumpTimeIndex(run: DumpRun, file: NamedFile): Promise<void> {
  const { sibling } = file
  await withFile(sibling('log'), (log) =>
    withFile(sibling('index'), (index) => dumpBeside(run, file, log, index), true),
  )
}

async function dumpBeside(
  run: DumpRun,
  { path, baseOffset }: NamedFile,
  log: DumpedFile,
  index: DumpedFile,
): Promise<void> {
  await withFile(path, async (timeIndex) => {
    if (run.flags.indexSanityCheck === true) await checkSanity(run, timeIndex, baseOffset)
    else await dumpEntries(run, timeIndex, log, { index, baseOffset })
  })
}

async function checkSanity(run: DumpRun, timeIndex: DumpedFile, baseOffset: bigint): Promise<void> {
  const { path, sizeInBytes } = timeIndex
  const entries = capacityOf(timeIndex, TIME_ENTRY_BYTES)
  if (entries > 0) {
    const first = await timeEntryAt(timeIndex, baseOffset, 0)
    const last = await timeEntryAt(timeIndex, baseOffset, entries - 1)
    if (last.timestamp < first.timestamp)
      throw corrupt(
        'index',
        path,
        `the last timestamp is ${last.timestamp}, below the first, ${first.timestamp}`,
      )
    if (last.offset < baseOffset)
      throw corrupt('index', path, `the last offset is ${last.offset}, below the base offset ${baseOffset}`)
  }
  if (sizeInBytes % TIME_ENTRY_BYTES !== 0)
    throw corrupt('index', path, `${sizeInBytes} bytes are no multiple of ${TIME_ENTRY_BYTES}`)
  await tellSane(run, path)
}

async function dumpEntries(
  run: DumpRun,
  timeIndex: DumpedFile,
  log: DumpedFile,
  { index, baseOffset }: { readonly index: DumpedFile; readonly baseOffset: bigint },
): Promise<void> {
  const { path } = timeIndex
  let previous = NOT_FOUND
  for await (const entry of timeEntries(timeIndex, baseOffset)) {
    // Zeros can be an entry, but where they do not fit they are those of an index without entries.
    if (entry.timestamp !== 0n || entry.offset !== baseOffset) {
      const position = await positionBefore(index, baseOffset, entry.offset)
      await checkEntry(run, path, log, entry, { previous, position })
    }
    previous = entry.timestamp
    if (run.flags.verifyIndexOnly === true) continue
    const { timestamp, offset } = entry
    await run.out.line(
      run.json
        ? toJson({ file: path, type: 'timeindex-entry', timestamp, offset })
        : `timestamp: ${timestamp} offset: ${offset}`,
    )
  }
}

async function checkEntry(
  { findings }: DumpRun,
  path: string,
  log: DumpedFile,
  { offset, timestamp }: TimeEntry,
  { previous, position }: { readonly previous: bigint; readonly position: number },
): Promise<void> {
  const found = await batchFor(log, offset, position)
  if (found?.lastOffset !== offset) {
    await findings.add('offset-not-found', path, offset, found?.lastOffset ?? NOT_FOUND)
    return
  }
  try {
    const maxTimestamp = await maxRecordTimestamp(log, found)
    if (maxTimestamp !== timestamp) await findings.add('timestamp-mismatch', path, timestamp, maxTimestamp)
  } catch (error) {
    // It cannot be checked; the next entry can.
    await findings.fail(damageOf(error, { path: log.path, position: found.position }), EXIT.notSo)
  }
  if (previous >= timestamp) await findings.add('timestamp-order', path, timestamp, previous)
}

interface FoundBatch extends BatchHead {
  readonly position: number
}

/** The first batch from `position` on that reaches `offset`. */
async function batchFor(log: DumpedFile, offset: bigint, position: number): Promise<FoundBatch | undefined> {
  for (let at = position; ; ) {
    const head = await batchHead(log, at)
    if (head === undefined) return undefined
    if (head.lastOffset >= offset) return { ...head, position: at }
    at += head.sizeInBytes
  }
}

/** By the records themselves: the header's can outlive the record that had it. */
async function maxRecordTimestamp(log: DumpedFile, { position, sizeInBytes }: FoundBatch): Promise<bigint> {
  const entry = entryOf(await log.read(position, sizeInBytes), position)
  if ('damage' in entry) throw entry.damage
  let max = NOT_FOUND
  for await (const { timestamp } of openedRecords(entry.batch)) if (timestamp > max) max = timestamp
  return max
}
