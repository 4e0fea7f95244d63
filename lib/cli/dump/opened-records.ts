/**
 * The records of a batch as far as they can be read. A dump is for damaged
 * files too, so nothing is asked of a record but that its fields can be told
 * apart, as in Kafka.
 */

import { loadCodec } from '../../backend/codecs/load.js'
import { type Batch, DEFAULT_BATCH_LIMITS } from '../../format/batch.js'
import * as layout from '../../format/layout.js'
import { currentRecords } from './current-records.js'
import { legacyRecords, storedMessageSet } from './legacy-records.js'
import type { OpenedRecord } from './opened-record.js'

/**
 * The records in order. Loads the codec that the batch needs. Throws `ERR_INVALID_BATCH` or what a codec throws, also
 * between records.
 */
export async function* openedRecords(batch: Batch): AsyncGenerator<OpenedRecord, void, undefined> {
  if (batch.magic !== 2) yield* legacyRecords(batch, await opened(batch, storedMessageSet(batch)))
  // A batch that compaction emptied keeps its codec but has nothing to open.
  else if (batch.count !== 0)
    yield* currentRecords(batch, await opened(batch, batch.bytes.subarray(layout.RECORDS_AT)))
}

async function opened({ codec: name, magic }: Batch, stored: Buffer): Promise<Buffer> {
  if (name === 'none') return stored
  const codec = await loadCodec(name)
  const { maxDecompressedBytes: maxBytes } = DEFAULT_BATCH_LIMITS
  const { buffer, byteOffset, byteLength } = await codec.decompressAsync(stored, { maxBytes, magic })
  return Buffer.from(buffer, byteOffset, byteLength)
}
