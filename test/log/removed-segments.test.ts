/** Segments that go: the log has an active one at every moment, and a failure half way leaves no hole. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { collect, numbered, values } from '../support/log.js'
import { basesOf, segmentedLog } from '../support/segmented-log.js'
import { copyOf, openSwiftly, setMarker, setRecoveryPoint } from '../support/unclean-log.js'

const ALL = Array.from({ length: 8 }, (_, n) => `v${n}`)

describe('a log that begins anew below all its segments', () => {
  test('known fault 10: has an active segment and answers in every turn meanwhile', async () => {
    const { log } = await segmentedLog({ config: { retentionMs: -1 } })
    await log.deleteRecordsBefore(4)
    await log.runRetention()
    expect(basesOf(log)).toEqual([4, 6])
    const { batches } = await log.fetch(4n)
    const codes = new Set<string>()
    const look = () => {
      expect(log.segments.length).toBeGreaterThan(0)
      expect(log.fetchSync(log.offsets.logEndOffset)).toMatchObject({ batches: Buffer.alloc(0) })
      try {
        expect(log.fetchSync(4n).batches).toEqual(batches)
      } catch (error) {
        codes.add((error as { code: string }).code)
      }
    }
    const readers = Array.from({ length: 5 }, () => collect(log.read({ from: 4n })).catch(codeOf))
    let isOver = false
    const truncating = log.truncateTo(2n).finally(() => {
      isOver = true
    })
    while (!isOver) {
      look()
      await new Promise((resolve) => setImmediate(resolve))
    }
    await truncating
    look()
    expect([...codes]).toEqual(['ERR_OFFSET_OUT_OF_RANGE'])
    expect(basesOf(log)).toEqual([2])
    for (const seen of await Promise.all(readers))
      if (typeof seen !== 'string') expect(seen.map(({ offset }) => offset)).toEqual([4n, 5n, 6n, 7n])
      else expect(seen).toBe('ERR_OFFSET_OUT_OF_RANGE')
    expect(log.append([{ value: 'anew', timestamp: 1 }]).baseOffset).toBe(2n)
  })
})

function codeOf(error: { code: string }): string {
  return error.code
}

describe('a removal that fails half way', () => {
  /** What a later opening finds of it, after a stop at that moment. */
  async function found(log: PartitionLog): Promise<{ offsets: number[]; bases: number[] }> {
    const path = copyOf(log.path)
    await log.close().catch(() => undefined)
    const again = await openSwiftly(path)
    const offsets = (await collect(again.read())).map(({ offset }) => Number(offset))
    expect(again.append([{ value: 'next', timestamp: 1 }]).baseOffset).toBe(
      BigInt((offsets.at(-1) ?? -1) + 1),
    )
    const bases = basesOf(again)
    await again.close()
    return { offsets, bases }
  }

  test('known fault 194c: of a truncation leaves the records up to some point', async () => {
    let failures = 0
    for (let nth = 1; nth <= 12; nth++) {
      const { log, machine } = await segmentedLog()
      await log.flush()
      machine.fault = (kind, _, path) =>
        kind === 'rename' && /\d{20}\.\w+$/.test(path) && ++failures > 0 && --nthLeft === 0
          ? 'EIO'
          : undefined
      let nthLeft = nth
      await log.truncateTo(1).catch(() => undefined)
      const hasFailed = machine.failed.length > 0
      machine.mend()
      const { offsets } = await found(log)
      expect(offsets, `rename ${nth}`).toEqual(ALL.map((_, n) => n).slice(0, offsets.length))
      expect(offsets.length).toBeGreaterThan(0)
      if (!hasFailed) expect(offsets).toEqual([0])
    }
    expect(failures).toBeGreaterThan(12)
  })

  test('known fault 194c: of a deletion at the start leaves the records from some point on', async () => {
    for (let nth = 1; nth <= 9; nth++) {
      const { log, machine } = await segmentedLog({ config: { retentionMs: -1 } })
      await log.flush()
      await log.deleteRecordsBefore(5)
      let nthLeft = nth
      machine.fault = (kind, _, path) =>
        kind === 'rename' && /\d{20}\.\w+$/.test(path) && --nthLeft === 0 ? 'EIO' : undefined
      await log.runRetention().catch(() => undefined)
      machine.mend()
      const { offsets } = await found(log)
      expect(offsets, `rename ${nth}`).toEqual([5, 6, 7])
    }
  })
})

describe('what was deleted', () => {
  /** Each of the log's other files gone; it was not closed. */
  function withLogsAlone(log: PartitionLog): string {
    const path = copyOf(log.path)
    for (const name of readdirSync(path)) if (/index|snapshot/.test(name)) rmSync(join(path, name))
    return path
  }

  test('known fault 187: on request stays away when the indexes are lost, and no offset is given twice', async () => {
    const { log } = await segmentedLog({ config: { retentionMs: -1, fileDeleteDelayMs: 0 } })
    await log.deleteRecordsBefore(-1)
    await log.runRetention()
    const path = withLogsAlone(log)
    setRecoveryPoint(path, 0)
    await expectEmpty(path)
  })

  test('known fault 187: by retention stays away when the checkpoints are lost too', async () => {
    const { log, machine } = await segmentedLog({ config: { retentionMs: 1_000, fileDeleteDelayMs: 0 } })
    machine.clock.advance(10_000)
    await log.runRetention()
    const path = withLogsAlone(log)
    for (const name of readdirSync(dirname(path)))
      if (name.endsWith('checkpoint')) rmSync(join(dirname(path), name))
    await expectEmpty(path)
  })

  async function expectEmpty(path: string): Promise<void> {
    const log = await openSwiftly(path)
    expect(log.offsets).toMatchObject({ logStartOffset: 8n, logEndOffset: 8n })
    expect(log.append(numbered(1, 8)).baseOffset).toBe(8n)
    expect(await values(log.read())).toEqual(['v8'])
    await log.close()
  }

  test('known fault 188: an index that a stop left longer than the log that was cut is not believed', async () => {
    const { log } = await segmentedLog({ segments: 0, config: { internalSegmentBytes: 4_000 } })
    for (let n = 0; n < 8; n++) log.append(numbered(1, n))
    await log.close()
    const indexes = ['index', 'timeindex'].map((kind) => join(log.path, `${'0'.repeat(20)}.${kind}`))
    const again = await openSwiftly(log.path)
    await again.truncateTo(3)
    await again.close()
    for (const stop of ['clean', 'unclean']) {
      const path = copyOf(log.path)
      // As if the log had been cut first, and the index not yet.
      for (const index of indexes) writeFileSync(join(path, index.slice(log.path.length)), longer(index))
      setMarker(path, stop === 'clean')
      const opened = await openSwiftly(path)
      for (let n = 3; n < 8; n++) opened.append([{ value: `new${n}`.padEnd(20 * n), timestamp: 9_000 + n }])
      for (let n = 3; n < 8; n++) {
        const [record] = await collect(opened.read({ from: n, maxRecords: 1 }))
        expect([record?.offset, `${record?.value}`.trim()]).toEqual([BigInt(n), `new${n}`])
        expect(await opened.offsetForTimestamp(9_000 + n)).toMatchObject({ offset: BigInt(n) })
      }
      expect(await opened.offsetForMaxTimestamp()).toEqual({ offset: 7n, timestamp: 9_007n })
      await opened.close()
    }
  })
})

/** Entries of batches that are gone: one in the middle of nowhere for each offset above 3. */
function longer(path: string): Buffer {
  const isTime = path.endsWith('timeindex')
  const entries = [3, 4, 5, 6, 7].map((offset) => {
    const entry = Buffer.alloc(isTime ? 12 : 8)
    if (isTime) entry.writeBigInt64BE(BigInt(80_000 + offset))
    entry.writeInt32BE(offset, isTime ? 8 : 0)
    if (!isTime) entry.writeInt32BE(offset * 72, 4)
    return entry
  })
  return Buffer.concat(entries)
}
