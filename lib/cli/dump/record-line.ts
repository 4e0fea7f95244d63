/**
 * Prints a record of a `.log`. One whose contents cannot be decoded is told of
 * and has its line all the same: the next one can be.
 */

import type { Batch, BatchSource } from '../../format/batch.js'
import { jsonBytes } from '../../format/record.js'
import { EXIT } from '../failure.js'
import { toJson } from '../json.js'
import { controlFields, controlText } from './control-text.js'
import { damageOf } from './damage.js'
import type { DumpRun } from './dump-run.js'
import type { OpenedRecord } from './opened-record.js'
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
    const what = `the record at offset ${opened.offset}: `
    await run.findings.fail(damageOf(error, source, what), EXIT.notSo)
  }
}

/** What is known before a record turns out to be undecodable is printed, as by Kafka. */
async function writeLine(run: DumpRun, batch: Batch, record: OpenedRecord): Promise<void> {
  const pieces: (string | Buffer)[] = []
  try {
    gatherPieces(run, batch, record, pieces)
  } finally {
    pieces.push('\n')
    for (const piece of pieces) await run.out.write(piece)
  }
}

/** Fills `pieces` with a record's line, as far as it can be read. */
function gatherPieces(
  { flags, printsData, decoder }: DumpRun,
  batch: Batch,
  record: OpenedRecord,
  pieces: (string | Buffer)[],
): void {
  const add = (label: string, text: string | Buffer) =>
    pieces.push(`${pieces.length === 0 ? '| ' : ' '}${label}`, text)
  if (flags.skipRecordMetadata !== true) {
    add('', recordMetadata(batch, record))
    if (batch.isControl) add('', controlText(record))
  }
  if (!printsData || batch.isControl) return
  const { key, payload } = decoder.text(record)
  if (key !== null) add('key: ', key)
  if (payload !== null) add('payload: ', payload)
}

function fieldsOf(run: DumpRun, file: string, batch: Batch, record: OpenedRecord): object {
  const { offset, timestamp, keySize, valueSize, sequence, checksum } = record
  const { timestampType, isControl } = batch
  const metadata = {
    ...{ offset, timestamp, timestampType, keySize, valueSize },
    ...(checksum ?? { sequence, headerKeys: record.headers.map(({ key }) => key) }),
    ...(isControl ? { control: controlFields(record) } : {}),
  }
  const content = run.printsData && !isControl ? contentOf(run, record) : {}
  return { file, type: 'record', ...(run.flags.skipRecordMetadata === true ? {} : metadata), ...content }
}

function contentOf({ decoder }: DumpRun, record: OpenedRecord): object {
  const headers = record.headers.map(({ key, value }) => ({ key, value: jsonBytes(value) }))
  return { ...decoder.fields(record), headers }
}
