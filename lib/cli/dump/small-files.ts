/**
 * Dumps the small files beside the segments: aborted transactions, producer
 * state and checkpoints.
 */

import { INT64_MIN } from '../../base/int64.js'
import { MAX_CHECKPOINT_BYTES } from '../../checkpoint/atomic-file.js'
import { parseLeaderEpochs } from '../../checkpoint/leader-epoch-checkpoint.js'
import { parseOffsetCheckpoint } from '../../checkpoint/offset-checkpoint.js'
import { parsePartitionMetadata } from '../../checkpoint/partition-metadata.js'
import { corrupt } from '../../errors.js'
import { type ProducerEntry, parseProducerSnapshot } from '../../format/producer-snapshot.js'
import { parseTransactionIndex, TRANSACTION_ENTRY_BYTES } from '../../segment/transaction-index.js'
import { toJson } from '../json.js'
import { topicPartitionOf } from '../targets.js'
import type { DumpRun } from './dump-run.js'
import { withFile } from './dumped-file.js'
import { optionalLong } from './text.js'

/** The version that is stored with each entry; another one is refused. */
const TRANSACTION_ENTRY_VERSION = 0

export async function dumpTransactionIndex(run: DumpRun, path: string): Promise<void> {
  await withFile(path, async (file) => {
    for (let position = 0; position < file.sizeInBytes; position += TRANSACTION_ENTRY_BYTES) {
      const bytes = await file.read(position, TRANSACTION_ENTRY_BYTES)
      if (bytes.length < TRANSACTION_ENTRY_BYTES)
        throw corrupt('index', path, 'the entry is cut short', { position })
      const entry = parseAt(path, bytes, position)
      await run.out.line(
        run.json
          ? toJson({ file: path, type: 'aborted-transaction', ...entry })
          : `version: ${TRANSACTION_ENTRY_VERSION} producerId: ${entry.producerId} firstOffset: ${entry.firstOffset} lastOffset: ${entry.lastOffset} lastStableOffset: ${entry.lastStableOffset}`,
      )
    }
  })
}

function parseAt(path: string, bytes: Buffer, position: number) {
  try {
    const [entry] = parseTransactionIndex(path, bytes, INT64_MIN)
    if (entry === undefined) throw new Error('no entry in the bytes of one')
    return entry
  } catch (error) {
    throw corrupt('index', path, 'no entry of an aborted transaction', { position }, error)
  }
}

export async function dumpSnapshot(run: DumpRun, path: string): Promise<void> {
  const bytes = await smallFile(path)
  for (const entry of parseProducerSnapshot(path, bytes))
    await run.out.line(run.json ? toJson({ file: path, type: 'producer', ...entry }) : producerLine(entry))
}

function producerLine(entry: ProducerEntry): string {
  const { producerId, producerEpoch, coordinatorEpoch, lastTimestamp, batch } = entry
  const state = [
    `producerId: ${producerId} producerEpoch: ${producerEpoch} coordinatorEpoch: ${coordinatorEpoch}`,
    `currentTxnFirstOffset: ${optionalLong(entry.currentTransactionFirstOffset)}`,
    `lastTimestamp: ${lastTimestamp}`,
  ]
  if (batch === null) return state.join(' ')
  const { firstSequence, lastSequence, lastOffset, offsetDelta, timestamp } = batch
  return [
    ...state,
    `firstSequence: ${firstSequence} lastSequence: ${lastSequence}`,
    `lastOffset: ${lastOffset} offsetDelta: ${offsetDelta} timestamp: ${timestamp}`,
  ].join(' ')
}

export async function dumpLeaderEpochs(run: DumpRun, path: string): Promise<void> {
  for (const { epoch, startOffset } of parseLeaderEpochs(path, await smallText(path)))
    await run.out.line(
      run.json
        ? toJson({ file: path, type: 'leader-epoch', epoch, startOffset })
        : `epoch: ${epoch} startOffset: ${startOffset}`,
    )
}

export async function dumpPartitionMetadata(run: DumpRun, path: string): Promise<void> {
  const topicId = parsePartitionMetadata(path, await smallText(path))
  await run.out.line(
    run.json ? toJson({ file: path, type: 'partition-metadata', topicId }) : `topicId: ${topicId}`,
  )
}

export async function dumpOffsets(run: DumpRun, path: string): Promise<void> {
  for (const [name, offset] of parseOffsetCheckpoint(path, await smallText(path))) {
    const { topic, partition } = topicPartitionOf(name)
    await run.out.line(
      run.json
        ? toJson({ file: path, type: 'checkpointed-offset', topic, partition, offset })
        : `topic: ${topic} partition: ${partition} offset: ${offset}`,
    )
  }
}

async function smallText(path: string): Promise<string> {
  return (await smallFile(path)).toString('utf8')
}

/** All of a file that is small where it is what its name says. */
async function smallFile(path: string): Promise<Buffer> {
  return withFile(path, async (file) => {
    if (file.sizeInBytes > MAX_CHECKPOINT_BYTES)
      throw corrupt('checkpoint', path, `${file.sizeInBytes} bytes are more than such a file can have`)
    return file.read(0, file.sizeInBytes)
  })
}
