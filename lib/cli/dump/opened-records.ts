/**
 * The records of a batch, opened, with what a dump shows beside what a reader
 * gets: sequences, and the checksums of single messages of magic 0 and 1.
 */

import { loadCodec } from '../../backend/codecs/load.js'
import { type Batch, DEFAULT_BATCH_LIMITS } from '../../format/batch.js'
import { isLegacyCrcValid, type LegacyBatch, readLegacyBatch } from '../../format/legacy.js'
import { legacyRecordsOf, openMessageSetAsync } from '../../format/legacy-records.js'
import type { LogRecord } from '../../format/record.js'
import { addToSequence } from '../../format/record-batch.js'

export interface OpenedRecord {
  readonly record: LogRecord
  /** -1 without a producer, and for magic 0 and 1. */
  readonly sequence: number
  /** Of a message of magic 0 or 1. */
  readonly checksum: { readonly crc: number; readonly isValid: boolean } | null
}

/** The records in order. Loads the codec that the batch needs. Throws what `Batch.records` throws, also between records. */
export async function* openedRecords(batch: Batch): AsyncGenerator<OpenedRecord, void, undefined> {
  await loadCodec(batch.codec)
  if (batch.magic !== 2) {
    yield* openedMessages(batch)
    return
  }
  await batch.load()
  for (const record of batch.records()) {
    const delta = Number(record.offset - batch.baseOffset)
    const sequence = batch.baseSequence < 0 ? batch.baseSequence : addToSequence(batch.baseSequence, delta)
    yield { record, sequence, checksum: null }
  }
}

async function* openedMessages(batch: Batch): AsyncGenerator<OpenedRecord, void, undefined> {
  const wrapper = readLegacyBatch(batch.bytes, 0, batch.bytes.length)
  const messageSet = await openMessageSetAsync(wrapper, DEFAULT_BATCH_LIMITS)
  let position = 0
  for (const record of legacyRecordsOf(wrapper, messageSet)) {
    const message = messageSet === null ? wrapper : readLegacyBatch(messageSet, position, messageSet.length)
    position += message.sizeInBytes
    yield { record, sequence: -1, checksum: checksumOf(message) }
  }
}

function checksumOf(message: LegacyBatch) {
  return { crc: message.crc, isValid: isLegacyCrcValid(message) }
}
