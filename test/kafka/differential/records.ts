/**
 * Batches and records in comparable words. The decoder is this package's own:
 * it has been compared with Kafka's by the golden files, and all contenders'
 * bytes go through it alike.
 */
import type { Batch } from '../../../lib/format/batch.js'
import { recordBatches } from '../../../lib/format/batches.js'
import type { LogRecord } from '../../../lib/format/record.js'

/** A record in one line. */
export function recordLine(record: LogRecord): string {
  const { offset, timestamp, timestampType, key, value, headers } = record
  const fields = [offset, timestampType, timestamp, hex(key), hex(value)]
  return [...fields, ...headers.map((header) => `${header.key}=${hex(header.value)}`)].join(' ')
}

/** Records from `from` on, at most `limit`. */
export function recordLines(bytes: Uint8Array, from: bigint): string[] {
  return [...recordBatches(bytes)]
    .filter((batch) => !batch.isControl)
    .flatMap((batch) => [...batch.records()])
    .filter(({ offset }) => offset >= from)
    .map(recordLine)
}

/** Of a committed fetch: those of aborted transactions and markers left out, as a consumer does it. */
export function committedLines(
  bytes: Uint8Array,
  from: bigint,
  aborted: readonly { readonly producerId: string; readonly firstOffset: string }[],
): string[] {
  const batches = [...recordBatches(bytes)]
  const isAborted = (batch: Batch) =>
    batch.isTransactional &&
    aborted.some(({ producerId, firstOffset }) => {
      if (BigInt(producerId) !== batch.producerId || BigInt(firstOffset) > batch.baseOffset) return false
      // Up to the first marker of that producer behind the transaction's first record.
      const end = batches.find(
        (marker) =>
          marker.isControl &&
          marker.producerId === batch.producerId &&
          marker.baseOffset > BigInt(firstOffset),
      )
      return end === undefined || batch.baseOffset < end.baseOffset
    })
  return batches
    .filter((batch) => !batch.isControl && !isAborted(batch))
    .flatMap((batch) => [...batch.records()])
    .filter(({ offset }) => offset >= from)
    .map(recordLine)
}

/** All that a batch says but what depends on how well it was compressed: size, checksum, position. */
export function decodedBatch(batch: Batch): object {
  return {
    magic: batch.magic,
    baseOffset: `${batch.baseOffset}`,
    lastOffset: `${batch.lastOffset}`,
    leaderEpoch: batch.partitionLeaderEpoch,
    attributes: batch.attributes,
    baseTimestamp: `${batch.baseTimestamp}`,
    maxTimestamp: `${batch.maxTimestamp}`,
    producer: `${batch.producerId}/${batch.producerEpoch}/${batch.baseSequence}`,
    count: batch.count,
    isValid: batch.isValid(),
    records: [...batch.records()].map(recordLine),
  }
}

export function decodedBatches(bytes: Uint8Array): object[] {
  return [...recordBatches(bytes)].map(decodedBatch)
}

/** Length of the whole batches at the start of `bytes`, and the last offset in them. */
export function wholeBatches(bytes: Uint8Array): { length: number; lastOffset: bigint | null } {
  let length = 0
  let lastOffset: bigint | null = null
  for (const batch of recordBatches(bytes)) {
    length += batch.sizeInBytes
    lastOffset = batch.lastOffset
  }
  return { length, lastOffset }
}

function hex(bytes: Buffer | null): string {
  return bytes === null ? 'null' : `x${bytes.toString('hex')}`
}
