/** Batches that another program made: what they claim is checked where they come in, and again where they are read. */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { resealed } from '../support/batches.js'
import { rejection } from '../support/errors.js'
import { message } from '../support/legacy-bytes.js'
import { collect, numbered, testLog, values } from '../support/log.js'
import { copyOf, killedLog, openSwiftly, setRecoveryPoint } from '../support/unclean-log.js'

const LAST_OFFSET_DELTA_AT = 23
const MAGIC_AT = 16
const COUNT_AT = 57
const FIRST_RECORD_AT = 61

/** Three records, with one thing changed and the checksum set right. */
function changed(change: (bytes: Buffer) => void, baseOffset = 0n): Buffer {
  const bytes = encodeBatch(numbered(3), { baseOffset, partitionLeaderEpoch: 0 })
  change(bytes)
  return resealed(bytes)
}

function withCounts(count: number, lastOffsetDelta: number) {
  return (bytes: Buffer) => {
    bytes.writeInt32BE(count, COUNT_AT)
    bytes.writeInt32BE(lastOffsetDelta, LAST_OFFSET_DELTA_AT)
  }
}

/** The length of the second record, in the varint's one byte, says more than there is. */
function oversizedSecond(bytes: Buffer): void {
  const second = FIRST_RECORD_AT + 1 + (bytes[FIRST_RECORD_AT] as number) / 2
  bytes[second] = 126
}

const CONTRADICTIONS: [name: string, change: (bytes: Buffer) => void][] = [
  ['3 records, last offset 0', withCounts(3, 0)],
  ['3 records, last offset -1', withCounts(3, -1)],
  ['3 records, last offset 7', withCounts(3, 7)],
  ['no records', withCounts(0, 2)],
  ['no records, last offset -1', withCounts(0, -1)],
  ['2 records said, 3 there', withCounts(2, 1)],
  ['4 records said, 3 there', withCounts(4, 3)],
  ['a second record longer than the rest', oversizedSecond],
]

describe('a leader', () => {
  test.each(CONTRADICTIONS)('known faults 154, 155 and 157: refuses a batch with %s', async (_, change) => {
    const log = await testLog()
    const error = await rejection(() => log.appendBatches(changed(change), { origin: 'leader' }))
    expect(error).toMatchObject({ code: 'ERR_INVALID_BATCH' })
    expect(log.offsets.logEndOffset).toBe(0n)
  })
})

describe('a follower', () => {
  test.each([
    ['a wrong checksum', (bytes: Buffer) => bytes.fill(0xff, bytes.length - 3)],
    ['magic 3', (bytes: Buffer) => bytes.writeInt8(3, MAGIC_AT)],
    ['magic -1', (bytes: Buffer) => bytes.writeInt8(-1, MAGIC_AT)],
    ['a length below the least', (bytes: Buffer) => bytes.writeInt32BE(13, 8)],
  ])('known fault 49: refuses all where a batch has %s, and says which', async (_, damage) => {
    const log = await testLog()
    const sound = encodeBatch(numbered(2), { partitionLeaderEpoch: 0 })
    const bad = encodeBatch(numbered(2), { baseOffset: 2n, partitionLeaderEpoch: 0 })
    damage(bad)
    const bytes = Buffer.concat([sound, bad])
    const error = await rejection(() => log.appendBatches(bytes, { origin: 'follower' }))
    expect(error).toMatchObject({ code: 'ERR_INVALID_BATCH', position: sound.length })
    expect(log.offsets.logEndOffset).toBe(0n)
  })

  test('known fault 154: takes a batch with fewer records than offsets, and goes on behind it', async () => {
    const log = await testLog()
    log.appendBatches(
      changed((bytes) => bytes.writeInt32BE(9, LAST_OFFSET_DELTA_AT)),
      { origin: 'follower' },
    )
    expect(log.append([{ value: 'next' }]).baseOffset).toBe(10n)
    expect((await collect(log.read())).map(({ offset }) => Number(offset))).toEqual([0, 1, 2, 10])
  })

  test('known faults 46 and 194e: is read past a batch that cleaning emptied, which keeps its offsets', async () => {
    const log = await testLog()
    const emptied = changed((bytes) => {
      withCounts(0, 4)(bytes)
      bytes.writeInt32BE(FIRST_RECORD_AT - 12, 8)
    }).subarray(0, FIRST_RECORD_AT)
    log.appendBatches(resealed(emptied), { origin: 'follower' })
    const alone = await openSwiftly(copyOf(log.path))
    expect(alone.recovery).toMatchObject({ wasClean: false, cuts: [] })
    expect(alone.offsets.logEndOffset).toBe(5n)
    await alone.close()
    log.append([{ value: 'behind', timestamp: 1_001 }])
    expect((await collect(log.read())).map(({ offset }) => offset)).toEqual([5n])
    expect(await log.fetch(0n)).toMatchObject({ nextOffset: 6n })
    // The header's largest time is that of a record that is gone.
    expect(await log.offsetForTimestamp(1_000n)).toMatchObject({ offset: 5n })
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.offsets.logEndOffset).toBe(6n)
    expect(await values(again.read())).toEqual(['behind'])
  })

  test.each(CONTRADICTIONS.slice(-3))(
    'known faults 155 and 157: reading a batch with %s is an error, the same each time',
    async (_, change) => {
      const log = await testLog()
      log.append(numbered(1))
      const { batch } = log.locate(0)
      log.appendBatches(changed(change, 1n), { origin: 'follower' })
      const read = () => collect(log.read())
      const error = await rejection(read)
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', position: batch?.sizeInBytes })
      expect(await rejection(read)).toMatchObject({ message: (error as Error).message })
    },
  )

  test('known faults 163 and 62a: messages of an old format end the leader epochs, as in Kafka', async () => {
    const log = await testLog()
    log.append(numbered(1), { leaderEpoch: 3 })
    const old = message({ magic: 1, offset: 1n, value: Buffer.from('old') })
    log.appendBatches(old, { origin: 'follower' })
    expect(log.leaderEpochs).toEqual([])
    log.append([{ value: 'new' }], { leaderEpoch: 5 })
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.leaderEpochs).toEqual([{ epoch: 5, startOffset: 2n }])
    expect(await values(again.read())).toEqual(['v0', 'old', 'new'])
  })

  test('known fault 82: epochs and sequences of producers that step back stop no opening', async () => {
    const steps = [
      { epoch: 3, baseSequence: 0 },
      { epoch: 2, baseSequence: 9 },
      { epoch: 2, baseSequence: 4 },
    ]
    const path = await killedLog((log) => {
      for (const [n, producer] of steps.entries()) {
        const batch = encodeBatch(numbered(1, n), {
          baseOffset: BigInt(n),
          partitionLeaderEpoch: 0,
          producer: { id: 7, ...producer },
        })
        log.appendBatches(batch, { origin: 'follower' })
        if (n === 0) log.roll()
      }
    })
    setRecoveryPoint(path, 0)
    for (const name of readdirSync(path)) if (name.endsWith('.snapshot')) rmSync(join(path, name))
    const log = await openSwiftly(path)
    expect(await values(log.read())).toEqual(['v0', 'v1', 'v2'])
    log.append(numbered(1, 3), { producer: { id: 7, epoch: 2, baseSequence: 5 } })
    await log.close()
  })
})
