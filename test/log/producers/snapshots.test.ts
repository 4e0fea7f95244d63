/** Snapshots of producers: when they are taken, what is in them, which count and which go. */
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseProducerSnapshot, producerSnapshot } from '../../../lib/format/producer-snapshot.js'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { straySnapshots } from '../../../lib/log/producers/snapshot-files.js'
import { GOLDEN } from '../../support/golden.js'
import { numbered, testLog } from '../../support/log.js'
import { killedLog, openSwiftly, setRecoveryPoint } from '../../support/unclean-log.js'

const nowMs = Date.now()

function append(log: PartitionLog, baseSequence: number, id = 7, count = 1) {
  return log.append(numbered(count, baseSequence, nowMs), { producer: { id, epoch: 0, baseSequence } })
}

function snapshotsOf({ path }: PartitionLog): number[] {
  const names = readdirSync(path).filter((name) => name.endsWith('.snapshot'))
  return names.map((name) => Number.parseInt(name, 10)).sort((a, b) => a - b)
}

function snapshotFile({ path }: PartitionLog, offset: number): string {
  return join(path, `${String(offset).padStart(20, '0')}.snapshot`)
}

describe('a snapshot', () => {
  it('of a broker is written back byte for byte', () => {
    const names = [
      'broker-4.4.0/txn-0/00000000000000000017.snapshot',
      'broker-4.4.0/txn-0/00000000000000000023.snapshot',
      'broker-4.4.0/opentxn-0/00000000000000000005.snapshot',
      'broker-4.4.0/segments-0/00000000000000000330.snapshot',
    ]
    for (const name of names) {
      const bytes = readFileSync(join(GOLDEN, name))
      expect(producerSnapshot(parseProducerSnapshot(name, bytes))).toEqual(bytes)
    }
  })

  it('is taken at each roll, at the new base, and at the end when the log is closed: 56 bytes with one producer', async () => {
    const log = await testLog()
    append(log, 0)
    log.roll()
    append(log, 1)
    append(log, 2)
    await log.close()
    expect(snapshotsOf(log)).toEqual([1, 3])
    for (const offset of [1, 3]) expect(readFileSync(snapshotFile(log, offset))).toHaveLength(56)
    const [entry] = parseProducerSnapshot('', readFileSync(snapshotFile(log, 3)))
    expect(entry).toMatchObject({
      producerId: 7n,
      coordinatorEpoch: -1,
      batch: { lastSequence: 2, lastOffset: 2n },
    })
  })

  it('known fault 70, 71: that is damaged goes, and the one before it and the log stand in', async () => {
    const damages: ((path: string) => void)[] = [
      (path) => truncateSync(path, 0),
      (path) => truncateSync(path, 5),
      (path) => writeFileSync(path, readFileSync(path).fill(7, 0, 2)),
      (path) => writeFileSync(path, readFileSync(path).fill(0xff, 20, 21)),
      (path) => writeFileSync(path, producerSnapshot([]).fill(9, 9, 10)),
    ]
    for (const damage of damages) {
      const log = await testLog()
      append(log, 0)
      log.roll()
      append(log, 1)
      await log.close()
      damage(snapshotFile(log, 2))
      const again = await testLog({ path: log.path })
      expect(append(again, 1)).toMatchObject({ duplicate: true, baseOffset: 1n })
      expect(append(again, 2)).toMatchObject({ duplicate: false, baseOffset: 2n })
      await again.close()
      expect(snapshotsOf(again)).toEqual([1, 2, 3])
    }
  })

  it('known fault 70: is on disk before the recovery point passes it', async () => {
    const log = await testLog()
    append(log, 0)
    log.roll()
    await log.whenDurable(0)
    await log.flush()
    expect(existsSync(snapshotFile(log, 1))).toBe(true)
  })

  it('known fault 73: of a recovery bears the offset behind what it holds, the base of the next segment', async () => {
    const path = await killedLog((log) => {
      for (let n = 0; n < 6; n++) {
        if (n > 0 && n % 2 === 0) log.roll()
        log.append(numbered(1, n), { producer: { id: 7, epoch: 0, baseSequence: n } })
      }
    })
    setRecoveryPoint(path, 0)
    for (const name of readdirSync(path)) if (name.endsWith('.snapshot')) rmSync(join(path, name))
    const log = await openSwiftly(path)
    await log.close()
    expect(snapshotsOf(log)).toEqual([2, 4, 6])
    for (const offset of [2, 4, 6]) {
      const [entry] = parseProducerSnapshot('', readFileSync(snapshotFile(log, offset)))
      expect(entry).toMatchObject({ batch: { lastOffset: BigInt(offset - 1), lastSequence: offset - 1 } })
    }
  })

  it('known faults, area 18: without a segment goes when the log is opened, but for the last behind all', () => {
    expect(straySnapshots([0n, 3n, 5n, 8n], [0n, 5n])).toEqual([3n])
    expect(straySnapshots([1n, 3n], [5n])).toEqual([1n, 3n])
    expect(straySnapshots([6n, 7n, 8n], [5n])).toEqual([6n, 7n])
    expect(straySnapshots([5n], [5n])).toEqual([])
  })

  it('known fault 76: below the log start goes with its segment, and the producer is still known', async () => {
    const log = await testLog({ config: { retentionMs: -1, fileDeleteDelayMs: 0 } })
    append(log, 0)
    log.roll()
    append(log, 1)
    log.roll()
    await log.flush()
    expect(snapshotsOf(log)).toEqual([1, 2])
    await log.deleteRecordsBefore(2)
    await log.runRetention()
    expect(snapshotsOf(log)).toEqual([2])
    expect(append(log, 1)).toMatchObject({ duplicate: true })
    expect(() => append(log, 5)).toThrow(expect.objectContaining({ code: 'ERR_OUT_OF_ORDER_SEQUENCE' }))
    expect(append(log, 2)).toMatchObject({ duplicate: false })
  })

  it('known fault 140: files whose name is no offset are left alone', async () => {
    const log = await testLog()
    append(log, 0)
    await log.close()
    writeFileSync(join(log.path, 'x.snapshot'), 'x')
    const again = await testLog({ path: log.path })
    expect(append(again, 0)).toMatchObject({ duplicate: true })
    expect(existsSync(join(log.path, 'x.snapshot'))).toBe(true)
  })
})

describe('a log that was closed cleanly', () => {
  it('without any snapshot has known no producer: empty ones are made at its last segments and its end', async () => {
    const log = await testLog()
    log.append(numbered(1))
    log.roll()
    log.append(numbered(1, 1))
    await log.close()
    for (const offset of snapshotsOf(log)) rmSync(snapshotFile(log, offset))
    const again = await testLog({ path: log.path })
    expect(snapshotsOf(again)).toEqual([1, 2])
    expect(readFileSync(snapshotFile(again, 2))).toHaveLength(10)
  })

  it('opened to be read changes none of its snapshots', async () => {
    const log = await testLog()
    append(log, 0)
    await log.close()
    const before = readdirSync(log.path)
    const reader = await testLog({ path: log.path, readOnly: true })
    await reader.close()
    expect(readdirSync(log.path)).toEqual(before)
  })
})
