import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../../lib/errors.js'
import { parseProducerSnapshot, producerSnapshot } from '../../lib/format/producer-snapshot.js'
import { referenceCrc32c } from '../support/crc-reference.js'
import { fcOptions } from '../support/random.js'

const golden = resolve(import.meta.dirname, '../golden')
const snapshots = readdirSync(join(golden, 'broker-4.4.0'), { recursive: true })
  .map(String)
  .filter((name) => name.endsWith('.snapshot'))

/** In the form of the golden JSON. */
function described(bytes: Buffer) {
  return parseProducerSnapshot('x.snapshot', bytes).map(
    ({
      producerId,
      producerEpoch,
      coordinatorEpoch,
      lastTimestamp,
      currentTransactionFirstOffset,
      batch,
    }) => ({
      producerId: producerId.toString(),
      producerEpoch,
      coordinatorEpoch,
      lastTimestamp: lastTimestamp.toString(),
      currentTxnFirstOffset: currentTransactionFirstOffset?.toString() ?? null,
      batches:
        batch === null
          ? []
          : [
              {
                firstSequence: batch.firstSequence,
                lastSequence: batch.lastSequence,
                firstOffset: batch.firstOffset.toString(),
                lastOffset: batch.lastOffset.toString(),
                timestamp: batch.timestamp.toString(),
              },
            ],
    }),
  )
}

/** A snapshot with its right checksum. */
function snapshot(count: number, entries: Buffer, version = 1): Buffer {
  const bytes = Buffer.concat([Buffer.alloc(10), entries])
  bytes.writeInt16BE(version, 0)
  bytes.writeInt32BE(count, 6)
  bytes.writeUInt32BE(referenceCrc32c(bytes.subarray(6)), 2)
  return bytes
}

describe('producer snapshot', () => {
  it('has goldens', () => expect(snapshots.length).toBeGreaterThan(10))

  it.each(snapshots)('is read as Kafka reads it: %s', (name) => {
    const expected = JSON.parse(readFileSync(join(golden, 'expected/broker-4.4.0', `${name}.json`), 'utf8'))
    expect(described(readFileSync(join(golden, 'broker-4.4.0', name)))).toEqual(expected)
  })

  it('counts sequences back over the wrap', () => {
    const entry = Buffer.alloc(46)
    entry.writeInt32BE(1, 10)
    entry.writeBigInt64BE(100n, 14)
    entry.writeInt32BE(3, 22)
    const [read] = parseProducerSnapshot('x', snapshot(1, entry))
    expect(read?.batch).toMatchObject({ firstSequence: 2_147_483_646, lastSequence: 1, firstOffset: 97n })
  })

  it('known fault 77: takes an entry that a marker alone left, without a last offset, and writes it back', () => {
    const entry = Buffer.alloc(46)
    entry.writeBigInt64BE(9n, 0)
    entry.writeInt32BE(-1, 10)
    entry.writeBigInt64BE(-1n, 14)
    entry.writeBigInt64BE(1_700n, 26)
    entry.writeBigInt64BE(-1n, 38)
    const bytes = snapshot(1, entry)
    const entries = parseProducerSnapshot('x', bytes)
    expect(entries).toMatchObject([{ producerId: 9n, batch: null, lastTimestamp: 1_700n }])
    expect(producerSnapshot(entries)).toEqual(bytes)
  })

  it('known fault 71: refuses another version, a wrong checksum and a count that is not that of the bytes', () => {
    const entry = Buffer.alloc(46)
    const refusal = (bytes: Buffer) => () => parseProducerSnapshot('x', bytes)
    expect(refusal(snapshot(1, entry, 2))).toThrow(/version 2/)
    const flipped = snapshot(1, entry)
    flipped[20] = 1
    expect(refusal(flipped)).toThrow(/checksum/)
    expect(refusal(snapshot(2, entry))).toThrow(/2 entries are announced, 1 are there/)
    expect(refusal(snapshot(-1, Buffer.alloc(0)))).toThrow(/-1 entries/)
    expect(refusal(snapshot(2 ** 31 - 1, entry))).toThrow(CorruptionError)
    expect(refusal(Buffer.alloc(9))).toThrow(/9 bytes/)
  })

  it('refuses or reads any bytes, and throws nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 120 }), fc.integer({ min: -2, max: 3 }), (bytes, count) => {
        for (const input of [Buffer.from(bytes), snapshot(count, Buffer.from(bytes))]) {
          try {
            parseProducerSnapshot('x', input)
          } catch (error) {
            if (!(error instanceof CorruptionError)) throw error
          }
        }
      }),
      fcOptions(300),
    )
  })
})
