/**
 * Dumps a `.log`: a line for each batch and, if asked for, each record.
 */

import { CorruptionError, corrupt, InvalidBatchError, UnsupportedError } from '../../errors.js'
import { type Batch, type BatchSource, batchError } from '../../format/batch.js'
import * as layout from '../../format/layout.js'
import { EXIT } from '../failure.js'
import { toJson } from '../json.js'
import { controlFields, controlText } from './control-text.js'
import type { DumpRun } from './dump-run.js'
import { type DumpedFile, withFile } from './dumped-file.js'
import { type FileEntry, fileEntries } from './file-batches.js'
import { type OpenedRecord, openedRecords } from './opened-records.js'
import { asText, batchLine, codecText, damagedBatchLine, recordMetadata } from './text.js'

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

/** The damage that `error` tells of; throws it where it is something else. */
function damageOf(error: unknown, source: BatchSource): Error {
  const damage = batchError(error, source)
  const isForeseen = [CorruptionError, InvalidBatchError, UnsupportedError].some(
    (kind) => damage instanceof kind,
  )
  if (isForeseen) return damage as Error
  if (!(error instanceof RangeError)) throw error
  // A number that leads outside of the bytes.
  return corrupt(
    'batch',
    source.path,
    `it cannot be read: ${error.message}`,
    { position: source.position },
    error,
  )
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
      const { offset } = opened.record
      if (offset !== lastOffset + 1n) await run.findings.add('non-consecutive', file.path, lastOffset, offset)
      lastOffset = offset
      await dumpRecord(run, file.path, batch, opened)
    }
  } catch (error) {
    // Bytes that are no records: the batch's length still tells where the next one begins.
    await run.findings.fail(damageOf(error, { path: file.path, position }), EXIT.notSo)
  }
  return lastOffset
}

async function dumpRecord(run: DumpRun, path: string, batch: Batch, opened: OpenedRecord): Promise<void> {
  if (run.json) {
    await run.out.line(toJson(recordFields(run, path, batch, opened)))
    return
  }
  const { record } = opened
  const parts: (string | Buffer)[] = []
  if (run.flags.skipRecordMetadata !== true) {
    parts.push(recordMetadata(batch, opened))
    if (batch.isControl) parts.push(controlText(record))
  }
  const { key, value } = record
  if (run.flags.printDataLog === true && !batch.isControl) {
    if (key !== null) parts.push(withLabel('key: ', key))
    if (value !== null) parts.push(withLabel('payload: ', value))
  }
  for (const [index, part] of parts.entries()) {
    run.out.write(index === 0 ? '| ' : ' ')
    await run.out.write(part)
  }
  await run.out.write('\n')
}

function withLabel(label: string, bytes: Buffer): string | Buffer {
  const text = asText(bytes)
  return typeof text === 'string' ? `${label}${text}` : Buffer.concat([Buffer.from(label), text])
}

function batchFields(file: string, batch: Batch, position: number, isValid: boolean): object {
  const { magic, lastOffset, timestampType, maxTimestamp, sizeInBytes, crc } = batch
  const codec = codecText(batch)
  const all = { file, type: 'batch', position, sizeInBytes, magic, codec, crc, isValid, lastOffset }
  const times = { timestampType, maxTimestamp }
  if (magic !== 2) return { ...all, ...times }
  const { baseOffset, count, baseSequence, lastSequence, producerId, producerEpoch } = batch
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

function recordFields(run: DumpRun, file: string, batch: Batch, opened: OpenedRecord): object {
  const { record, sequence, checksum } = opened
  const { key, value, headers, ...meta } = record.toJSON()
  const metadata = {
    ...meta,
    keySize: record.key?.length ?? -1,
    valueSize: record.value?.length ?? -1,
    ...(checksum ?? { sequence, headerKeys: headers.map((header) => header.key) }),
    ...(batch.isControl ? { control: controlFields(record) } : {}),
  }
  const content = run.flags.printDataLog === true && !batch.isControl ? { key, value, headers } : {}
  return { file, type: 'record', ...(run.flags.skipRecordMetadata === true ? {} : metadata), ...content }
}
