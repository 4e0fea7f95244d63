/**
 * Prints a record of a `.log`. One whose contents cannot be decoded is told of
 * and has its line all the same: the next one can be.
 */

import { CorruptionError, corrupt, InvalidBatchError, UnsupportedError } from '../../errors.js'
import type { Batch, BatchSource } from '../../format/batch.js'
import { EXIT } from '../failure.js'
import { toJson } from '../json.js'
import { controlFields, controlText } from './control-text.js'
import { UndecodableError } from './decode/record-decoder.js'
import type { DumpRun } from './dump-run.js'
import type { OpenedRecord } from './opened-records.js'
import { recordMetadata } from './text.js'

export async function dumpRecord(
  run: DumpRun,
  source: BatchSource,
  batch: Batch,
  opened: OpenedRecord,
): Promise<void> {
  try {
    if (run.json) await run.out.line(toJson(fieldsOf(run, source.path, batch, opened)))
    else await writeLine(run, batch, opened)
  } catch (error) {
    const { offset } = opened.record
    await run.findings.fail(undecodable(error, source, offset), EXIT.notSo)
  }
}

/** What is known before a record turns out to be undecodable is printed, as by Kafka. */
async function writeLine(run: DumpRun, batch: Batch, opened: OpenedRecord): Promise<void> {
  const { out, flags } = run
  try {
    let before = '| '
    if (flags.skipRecordMetadata !== true) {
      out.write(`| ${recordMetadata(batch, opened)}`)
      before = ' '
      if (batch.isControl) out.write(` ${controlText(opened.record)}`)
    }
    if (!run.printsData || batch.isControl) return
    const { key, payload } = run.decoder.text(opened.record)
    if (key !== null) {
      out.write(`${before}key: `)
      out.write(key)
      before = ' '
    }
    if (payload !== null) {
      out.write(`${before}payload: `)
      out.write(payload)
    }
  } finally {
    await out.write('\n')
  }
}

function undecodable(error: unknown, { path, position }: BatchSource, offset: bigint): Error {
  const isForeseen = [UndecodableError, CorruptionError, InvalidBatchError, UnsupportedError].some(
    (kind) => error instanceof kind,
  )
  if (!isForeseen) throw error
  const { message } = error as Error
  return corrupt('batch', path, `the record at offset ${offset}: ${message}`, { position, offset }, error)
}

function fieldsOf(run: DumpRun, file: string, batch: Batch, opened: OpenedRecord): object {
  const { record, sequence, checksum } = opened
  const { offset, timestamp, timestampType } = record
  const { headers } = record.toJSON()
  const metadata = {
    ...{ offset, timestamp, timestampType },
    keySize: record.key?.length ?? -1,
    valueSize: record.value?.length ?? -1,
    ...(checksum ?? { sequence, headerKeys: headers.map((header) => header.key) }),
    ...(batch.isControl ? { control: controlFields(record) } : {}),
  }
  const content = run.printsData && !batch.isControl ? { ...run.decoder.fields(record), headers } : {}
  return { file, type: 'record', ...(run.flags.skipRecordMetadata === true ? {} : metadata), ...content }
}
