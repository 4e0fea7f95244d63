/** Reading a segment chunk by chunk. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { BatchChunks } from '../../lib/cleaner/batch-chunks.js'
import { backendUnderTest } from '../support/backend.js'
import { type RawBatch, rawBatch, resealed } from '../support/batches.js'
import { errorFrom } from '../support/errors.js'
import { tempDir } from '../support/temp-dir.js'

const backend = backendUnderTest()

/** 71 bytes each. */
const batches = (count: number, fields: RawBatch = {}) =>
  Array.from({ length: count }, (_, n) => rawBatch({ ...fields, baseOffset: BigInt(n) }))

function chunksOf(
  bytes: Buffer,
  options: { ioBufferBytes?: number; endPosition?: number; baseOffset?: bigint; endOffset?: bigint } = {},
) {
  const { ioBufferBytes = 200, endPosition = bytes.length, baseOffset = 0n } = options
  const { endOffset = 2n ** 63n - 1n } = options
  const path = join(tempDir(), 'a.log')
  writeFileSync(path, bytes)
  const crc32c = (of: Uint8Array, start: number, end: number) => backend.crc32c(of, start, end)
  const chunks = new BatchChunks({ ioBufferBytes, maxBatchBytes: 1000, crc32c })
  chunks.begin({
    log: backend.openLogFile(path, { mode: 'read', baseOffset }),
    baseOffset,
    fromPosition: 0,
    endPosition,
    endOffset,
  })
  return chunks
}

function positions(chunks: BatchChunks): number[][] {
  const found: number[][] = []
  while (chunks.next()) found.push(Array.from({ length: chunks.count }, (_, n) => chunks.positionOf(n)))
  return found
}

test('whole batches come in chunks of the buffer', () => {
  expect(positions(chunksOf(Buffer.concat(batches(5))))).toEqual([[0, 71], [142, 213], [284]])
})

test('a batch larger than the buffer makes it grow, until the next segment', () => {
  const bytes = Buffer.concat([rawBatch({ payloadBytes: 500 }), ...batches(2).slice(1)])
  const chunks = chunksOf(bytes)
  expect(positions(chunks)).toEqual([[0], [561]])
  expect(chunks.bytes).toHaveLength(561)
})

test('nothing behind the end is read', () => {
  expect(positions(chunksOf(Buffer.concat(batches(5)), { endPosition: 142 }))).toEqual([[0, 71]])
  expect(positions(chunksOf(Buffer.alloc(0)))).toEqual([])
})

test('a batch that reaches into the next segment is none', () => {
  const bytes = Buffer.concat([rawBatch({}), rawBatch({ baseOffset: 1n, lastOffsetDelta: 2 })])
  expect(positions(chunksOf(bytes, { endOffset: 4n }))).toEqual([[0, 71]])
  expect(errorFrom(() => positions(chunksOf(bytes, { endOffset: 3n })))).toMatchObject({
    code: 'ERR_CORRUPT',
    position: 71,
  })
})

test('offsets are exact, however large', () => {
  const baseOffset = 2n ** 62n + 0xffff_fff0n
  const bytes = Buffer.concat([
    rawBatch({ baseOffset, lastOffsetDelta: 3 }),
    rawBatch({ baseOffset: baseOffset + 2n ** 33n }),
  ])
  const chunks = chunksOf(bytes, { baseOffset })
  chunks.next()
  expect([chunks.firstOffsetOf(0), chunks.lastOffsetOf(0), chunks.lastOffsetOf(1)]).toEqual([
    baseOffset,
    baseOffset + 3n,
    baseOffset + 2n ** 33n,
  ])
})

const damaged = (change: (bytes: Buffer) => void) => {
  const bytes = rawBatch({ baseOffset: 1n })
  change(bytes)
  return bytes
}

test.each([
  ['bad-crc', damaged((bytes) => bytes.writeInt8(5, 66))],
  ['bad-magic', damaged((bytes) => bytes.writeInt8(3, 16))],
  ['bad-length', damaged((bytes) => bytes.writeInt32BE(48, 8))],
  ['bad-length', damaged((bytes) => bytes.writeInt32BE(-1, 8))],
  ['torn-batch', rawBatch({ baseOffset: 1n }).subarray(0, 70)],
  ['torn-header', rawBatch({ baseOffset: 1n }).subarray(0, 16)],
  ['offset-order', rawBatch({ baseOffset: 0n })],
  ['offset-order', resealed(damaged((bytes) => bytes.writeInt32BE(-1, 23)))],
  [
    'bad-crc',
    damaged((bytes) =>
      rawBatch({ baseOffset: 1n, magic: 1, payloadBytes: 27, seed: 2 }).copy(bytes, 0, 0, 60),
    ),
  ],
])('%s ends the reading with its place', (fault, bytes) => {
  const chunks = chunksOf(Buffer.concat([rawBatch(), bytes]), { ioBufferBytes: 4096 })
  const error = errorFrom(() => chunks.next())
  expect(error).toMatchObject({ code: 'ERR_CORRUPT', position: 71, path: chunks.path })
  expect(error.message).toContain(fault)
})

test('a file that is shorter than it was said to be is torn', () => {
  const bytes = rawBatch()
  const chunks = chunksOf(bytes, { endPosition: 142, ioBufferBytes: 4096 })
  chunks.next()
  expect(errorFrom(() => chunks.next())).toMatchObject({
    code: 'ERR_CORRUPT',
    kind: 'torn-tail',
    position: 71,
  })
})

test('an offset below the segment is out of order', () => {
  const chunks = chunksOf(rawBatch({ baseOffset: 4n }), { baseOffset: 5n })
  expect(errorFrom(() => chunks.next()).message).toContain('offset-order')
})
