/**
 * Dumps a `.log`: a line for each batch and, if asked for, each record.
 */

import type { Batch } from '../../format/batch.js'
import * as layout from '../../format/layout.js'
import { EXIT } from '../failure.js'
import { toJson } from '../json.js'
import { damageOf } from './damage.js'
import type { DumpRun } from './dump-run.js'
import { type DumpedFile, withFile } from './dumped-file.js'
import { type FileEntry, fileEntries } from './file-batches.js'
import { openedRecords } from './opened-records.js'
import { dumpRecord } from './record-line.js'
import { batchLine, codecText, damagedBatchLine, lastSequenceOf } from './text.js'

/** `head` is the line that tells where the file begins. */
export async function dumpLog(run: DumpRun, path: string, head: string): Promise<void> {
  if (!run.json) await run.out.line(head)
  await withFile(path, async (file) => {
    const { maxBytes } = run.flags
    const end = Math.min(file.sizeInBytes, maxBytes ?? file.sizeInBytes)
    const validBytes = await dumpBatches(run, file, end)
    if (maxBytes === undefined && validBytes < end) await tellTrailing(run, path, end - validBytes)
  })
}

/** Gives where the whole batches end. */
async function dumpBatches(run: DumpRun, file: DumpedFile, end: number): Promise<number> {
  const progress = run.progress(file.path, end)
  let validBytes = 0
  let lastOffset = -1n
  try {
    for await (const entry of fileEntries(file, 0, end)) {
      const { position, bytes } = entry
      const batch = await dumpBatch(run, file.path, entry)
      if (run.deep && batch !== undefined)
        lastOffset = await dumpRecords(run, file, batch, position, lastOffset)
      validBytes = position + bytes.length
      progress.add(bytes.length)
    }
  } finally {
    progress.end()
  }
  return validBytes
}

/** Prints the batch without its records; undefined where its header is damaged. */
async function dumpBatch(run: DumpRun, path: string, entry: FileEntry): Promise<Batch | undefined> {
  const { position, bytes } = entry
  try {
    if ('damage' in entry) throw entry.damage
    const { batch } = entry
    const isValid = batch.isValid()
    const line = run.json
      ? toJson(batchFields(path, batch, position, isValid))
      : batchLine(batch, position, isValid)
    if (!isValid) run.findings.damage()
    await run.out.line(line)
    return batch
  } catch (error) {
    const damage = damageOf(error, { path, position })
    await run.out.line(
      run.json ? toJson(damagedBatchFields(path, bytes, position)) : damagedBatchLine(bytes, position),
    )
    // Its length still tells where the next one begins.
    await run.findings.fail(damage, EXIT.notSo)
    return undefined
  }
}

async function tellTrailing(run: DumpRun, path: string, bytes: number): Promise<void> {
  run.findings.damage()
  await run.out.line(
    run.json
      ? toJson({ file: path, type: 'finding', finding: 'trailing-bytes', bytes })
      : `Found ${bytes} invalid bytes at the end of ${run.nameOf(path)}`,
  )
}

/** The last record's offset; the one before where the batch has none. */
async function dumpRecords(
  run: DumpRun,
  file: DumpedFile,
  batch: Batch,
  position: number,
  offsetBefore: bigint,
): Promise<bigint> {
  let lastOffset = offsetBefore
  try {
    for await (const opened of openedRecords(batch)) {
      const { offset } = opened
      if (offset !== lastOffset + 1n) await run.findings.add('non-consecutive', file.path, lastOffset, offset)
      lastOffset = offset
      await dumpRecord(run, { path: file.path, position }, batch, opened)
    }
  } catch (error) {
    // Bytes that are no records: the batch's length still tells where the next one begins.
    await run.findings.fail(damageOf(error, { path: file.path, position }), EXIT.notSo)
  }
  return lastOffset
}

function batchFields(file: string, batch: Batch, position: number, isValid: boolean): object {
  const { magic, lastOffset, timestampType, maxTimestamp, sizeInBytes, crc } = batch
  const codec = codecText(batch)
  const all = { file, type: 'batch', position, sizeInBytes, magic, codec, crc, isValid, lastOffset }
  const times = { timestampType, maxTimestamp }
  if (magic !== 2) return { ...all, ...times }
  const { baseOffset, count, baseSequence, producerId, producerEpoch } = batch
  const lastSequence = lastSequenceOf(batch)
  const { partitionLeaderEpoch, isTransactional, isControl, deleteHorizonMs } = batch
  return {
    ...all,
    ...times,
    ...{ baseOffset, count, baseSequence, lastSequence, producerId, producerEpoch },
    ...{ partitionLeaderEpoch, isTransactional, isControl, deleteHorizonMs },
  }
}

/** The fields that every format has at the same place. */
function damagedBatchFields(file: string, bytes: Buffer, position: number): object {
  const magic = bytes.readInt8(layout.MAGIC_AT)
  const baseOffset = bytes.readBigInt64BE(layout.BASE_OFFSET_AT)
  return { file, type: 'batch', position, sizeInBytes: bytes.length, magic, isValid: false, baseOffset }
}
