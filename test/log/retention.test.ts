/** Retention through a log: what goes, in which order, what is told, and what is left when something fails. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLogOn } from '../../lib/manager/open-log.js'
import { rawBatch } from '../support/batches.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { codeOf } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { closeLater, numbered, values } from '../support/log.js'
import { START_MS, TestClock } from '../support/machine.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { basesOf, FIRST_MS, segmentedLog, segmentedLogOn, segmentFilesOf } from '../support/segmented-log.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir } from '../support/temp-dir.js'
import { until } from '../support/turns.js'

const file = (base: number, kind: string) => `${String(base).padStart(20, '0')}.${kind}`

describe('the files of deleted segments', () => {
  test('known fault 26: bear .deleted when the check is over, and go after file.delete.delay.ms', async () => {
    const { log, machine, lines } = await segmentedLog({
      config: { retentionBytes: 200, fileDeleteDelayMs: 500 },
    })
    for (const kind of ['txnindex', 'snapshot']) writeFileSync(join(log.path, file(0, kind)), '')
    const result = await log.runRetention()
    expect(result).toMatchObject({ logStartOffset: 4n, deletions: [{}, {}] })
    expect([log.offsets.logStartOffset, basesOf(log)]).toEqual([4n, [4, 6]])
    const deleted = (base: number, kinds: string[]) => kinds.map((kind) => `${base}.${kind}.deleted`)
    const kinds = ['index', 'log', 'timeindex']
    expect(segmentFilesOf(log).filter((name) => name.endsWith('.deleted'))).toEqual(
      [...deleted(0, [...kinds, 'snapshot', 'txnindex']), ...deleted(2, [...kinds, 'snapshot'])].sort(),
    )
    expect(segmentFilesOf(log).filter((name) => /^[02]\./.test(name) && !name.endsWith('.deleted'))).toEqual(
      [],
    )
    machine.clock.advance(499)
    expect(segmentFilesOf(log)).toContain('0.log.deleted')
    machine.clock.advance(1)
    await until(() => segmentFilesOf(log).every((name) => !name.endsWith('.deleted')))
    expect(lines.filter((line) => line.includes('Deleted log'))).toEqual(
      expect.arrayContaining([`info Deleted log ${file(0, 'log')}.deleted.`]),
    )
  })

  test('known fault 121: are closed before they are renamed', async () => {
    const directory = memoryDir()
    const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
    const { log } = await segmentedLogOn(machine, { directory, config: { retentionBytes: 200 } })
    await values(log.read())
    const hold = machine.hold(/^rename 0\.log/)
    const retaining = log.runRetention()
    await hold.reached
    const openOf = (base: number) => openBelow(log.path).filter((path) => path.includes(file(base, '')))
    if (canSeeDescriptors) {
      expect(openOf(0)).toEqual([])
      expect(openOf(6)).not.toEqual([])
    }
    // The start has moved already: nobody begins to read what is about to go.
    expect(log.offsets.logStartOffset).toBe(4n)
    expect(await codeOf(() => log.fetch(0))).toBe('ERR_OFFSET_OUT_OF_RANGE')
    hold.release()
    await retaining
  })

  test('go oldest first, the log before its indexes, and their names are on disk when the check is over', async () => {
    const directory = memoryDir()
    const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
    const { log } = await segmentedLogOn(machine, { directory, config: { retentionBytes: 200 } })
    await log.flush()
    machine.taken()
    await log.runRetention()
    expect(machine.taken().filter((step) => !/snapshot|txnindex|epoch/.test(step))).toEqual([
      'rename 0.log',
      'rename 0.index',
      'rename 0.timeindex',
      'rename 2.log',
      'rename 2.index',
      'rename 2.timeindex',
      'flushPath orders-0',
      'flushPath orders-0',
    ])
  })

  test('known fault 44, 118: that somebody removed by hand are no reason to fail', async () => {
    const { log, machine, offline } = await segmentedLog({ config: { retentionBytes: 200 } })
    rmSync(join(log.path, file(0, 'log')))
    rmSync(join(log.path, file(2, 'timeindex')))
    expect((await log.runRetention()).deletions).toHaveLength(2)
    rmSync(join(log.path, `${file(2, 'index')}.deleted`))
    machine.clock.advance(60_000)
    await until(() => segmentFilesOf(log).every((name) => !name.endsWith('.deleted')))
    expect([log.state, offline]).toEqual(['open', []])
    log.append(numbered(1, 8))
  })

  test('known fault 118: that somebody removed before they were opened go too, and it is told', async () => {
    const { log, machine, offline, logger, of } = await segmentedLog({ config: { retentionBytes: 200 } })
    await log.close()
    const again = closeLater(await openLogOn(machine, log.path, { logger }))
    for (const kind of ['log', 'index', 'timeindex'] as const) rmSync(join(log.path, file(0, kind)))
    rmSync(join(log.path, file(2, 'timeindex')))
    expect((await again.runRetention()).deletions).toHaveLength(2)
    expect(basesOf(again)).toEqual([4, 6])
    expect([again.state, offline]).toEqual(['open', []])
    expect(of('warn')).toEqual([0, 2].map((base) => expect.stringContaining(file(base, 'timeindex'))))
  })

  test('known fault 124: of which one cannot be removed: the others go, it is told and tried at the next start', async () => {
    const { log, machine, of } = await segmentedLog({ config: { retentionBytes: 200 } })
    await log.runRetention()
    machine.failWhere('remove', /0\.log\.deleted/)
    machine.clock.advance(60_000)
    await until(() => segmentFilesOf(log).filter((name) => name.endsWith('.deleted')).length === 1)
    await until(() => of('warn').length === 1)
    expect(of('warn')[0]).toContain(`could not delete ${file(0, 'log')}.deleted`)
    await log.close()
    machine.mend()
    const again = closeLater(await openLogOn(machine, log.path))
    expect(segmentFilesOf(again)).not.toContain('0.log.deleted')
  })

  test('that wait when the log is closed are removed by the next start', async () => {
    const { log, machine } = await segmentedLog({ config: { retentionBytes: 200 } })
    await log.runRetention()
    await log.close()
    machine.clock.advance(1e9)
    expect(segmentFilesOf(log)).toContain('0.log.deleted')
    const again = closeLater(await openLogOn(machine, log.path))
    expect(segmentFilesOf(again).filter((name) => name.endsWith('.deleted'))).toEqual([])
    expect(await values(again.read())).toEqual(['v4', 'v5', 'v6', 'v7'])
  })
})

describe('a check', () => {
  test('that would take everything rolls first, and the log goes on where it was', async () => {
    const { log } = await segmentedLog({ config: { retentionBytes: 0 } })
    const { deletions } = await log.runRetention()
    expect(deletions).toHaveLength(4)
    expect([basesOf(log), log.offsets.logStartOffset, log.offsets.logEndOffset]).toEqual([[8], 8n, 8n])
    expect(log.append(numbered(1, 8)).baseOffset).toBe(8n)
    expect(await values(log.read())).toEqual(['v8'])
    expect((await log.runRetention()).deletions).toHaveLength(1)
    // An empty active segment is no use to delete.
    expect((await log.runRetention()).deletions).toEqual([])
    expect(basesOf(log)).toEqual([9])
    await log.close()
    const again = closeLater(await openLogOn(new FailingMachine(), log.path))
    expect(again.offsets).toMatchObject({ logStartOffset: 9n, logEndOffset: 9n })
  })

  test('known fault 110: takes nothing above the high watermark', async () => {
    const { log } = await segmentedLog({
      highWatermark: 'manual',
      config: { retentionBytes: 0, retentionMs: 0 },
    })
    expect((await log.runRetention()).deletions).toEqual([])
    log.setHighWatermark(5)
    await log.runRetention()
    expect([basesOf(log), log.offsets.logStartOffset]).toEqual([[4, 6], 4n])
    log.setHighWatermark(8)
    await log.runRetention()
    expect(log.offsets).toMatchObject({ logStartOffset: 8n, highWatermark: 8n })
  })

  test('moves the log start for good: a later start does not bring the records back', async () => {
    const { log, directory } = await segmentedLog({ config: { retentionMs: 60_000 } })
    const late = new FailingMachine()
    await log.close()
    late.clock.advance(60_000 - 98)
    const again = closeLater(await openLogOn(late, log.path))
    await again.runRetention()
    expect(again.offsets.logStartOffset).toBe(2n)
    await again.close()
    expect(readFileSync(join(directory, 'log-start-offset-checkpoint'), 'latin1')).toBe('0\n0\n')
    const last = closeLater(await openLogOn(late, log.path))
    expect(last.offsets).toMatchObject({ logStartOffset: 2n, logEndOffset: 8n })
  })

  test('takes the leader epochs below the new start out, in memory and on disk', async () => {
    const { log, machine } = await segmentedLog({ segments: 0, config: { retentionBytes: 150 } })
    for (let n = 0; n < 8; n++) log.append(numbered(1, n, START_MS), { leaderEpoch: n >> 1 })
    await log.runRetention()
    const epochs = [2, 3].map((epoch) => ({ epoch, startOffset: BigInt(epoch * 2) }))
    expect(log.leaderEpochs).toEqual(epochs)
    expect(readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')).toBe('0\n2\n2 4\n3 6\n')
    log.append(numbered(1, 8, START_MS), { leaderEpoch: 3 })
    await log.runRetention()
    // The epoch goes on, and begins where the log does.
    await log.deleteRecordsBefore(7)
    expect(log.leaderEpochs).toEqual([{ epoch: 3, startOffset: 7n }])
    await log.close()
    const again = closeLater(await openLogOn(machine, log.path))
    expect(again.leaderEpochs).toEqual([{ epoch: 3, startOffset: 7n }])
  })

  test('known fault 76: takes the snapshots of deleted segments with them', async () => {
    const { log } = await segmentedLog({ config: { retentionBytes: -1 } })
    for (const base of [0, 2, 4, 6]) writeFileSync(join(log.path, file(base, 'snapshot')), '')
    await log.deleteRecordsBefore(4)
    await log.runRetention()
    expect(segmentFilesOf(log).filter((name) => name.endsWith('.snapshot'))).toEqual([
      '4.snapshot',
      '6.snapshot',
    ])
  })

  test('known fault 113: leaves the segment that a start in the middle of a batch needs', async () => {
    const { log } = await segmentedLog({ segments: 0, config: { internalSegmentBytes: 1_000 } })
    log.append(numbered(10, 0, START_MS))
    log.roll()
    log.append(numbered(1, 10, START_MS))
    await log.deleteRecordsBefore(5)
    await log.runRetention()
    expect(basesOf(log)).toEqual([0, 10])
    expect((await values(log.read()))[0]).toBe('v5')
    const { batches } = await log.fetch(5)
    expect(batches.readBigInt64BE(0)).toBe(0n)
  })

  test('known fault 130: goes by the file’s time where no record has one', async () => {
    const { log, machine } = await segmentedLog({ segments: 0, config: { retentionMs: 60_000 } })
    for (let n = 0; n < 6; n++)
      log.appendBatches(rawBatch({ baseOffset: BigInt(n), payloadBytes: 60 }), { origin: 'follower' })
    expect(basesOf(log).length).toBeGreaterThan(1)
    machine.clock.advance(60_000)
    expect((await log.runRetention()).deletions).toEqual([])
    machine.clock.advance(1)
    const { deletions } = await log.runRetention()
    expect(deletions.at(0)?.cause).toMatchObject({ rule: 'retention.ms', basedOn: 'file' })
    expect(log.offsets.logStartOffset).toBe(6n)
  })

  test('known fault 131: opening and closing does not make a file younger', async () => {
    const { log } = await segmentedLog({ segments: 0, config: { retentionMs: 60_000 } })
    for (let n = 0; n < 3; n++)
      log.appendBatches(rawBatch({ baseOffset: BigInt(n), payloadBytes: 60 }), { origin: 'follower' })
    await log.close()
    const old = new Date(START_MS - 3_600_000)
    for (const { baseOffset } of [{ baseOffset: 0 }, { baseOffset: 1 }, { baseOffset: 2 }]) {
      const path = join(log.path, file(baseOffset, 'log'))
      if (existsSync(path)) utimesSync(path, old, old)
    }
    for (let time = 0; time < 2; time++) await (await openLogOn(new FailingMachine(), log.path)).close()
    expect(statSync(join(log.path, file(0, 'log'))).mtimeMs).toBe(old.getTime())
    const again = closeLater(await openLogOn(new FailingMachine(), log.path))
    await again.runRetention()
    expect(again.offsets.logStartOffset).toBe(3n)
  })

  test('known fault 125: of records from the future warns, and keeps them and all behind', async () => {
    const { log, of } = await segmentedLog({ segments: 0, config: { retentionMs: 1_000 } })
    const times = [START_MS + 3_600_000 - 1, START_MS - 50_000, START_MS]
    for (const [n, time] of times.entries()) {
      log.append(numbered(1, n, time))
      log.roll()
    }
    expect((await log.runRetention()).deletions).toEqual([])
    expect(of('warn')).toEqual([expect.stringMatching(/baseOffset=0.*contains future timestamp/)])
  })

  test('tells of each segment why it went, in Kafka’s words', async () => {
    const { log, machine, of } = await segmentedLog({ config: { retentionBytes: 200, retentionMs: 1_000 } })
    await log.deleteRecordsBefore(2)
    machine.clock.advance(900)
    await log.runRetention()
    const texts = of('info').filter((text) => text.startsWith('Deleting segment LogSegment'))
    const segment = (n: number) =>
      `LogSegment(baseOffset=${n}, size=144, lastModifiedTime=${START_MS}, largestRecordTimestamp=${FIRST_MS + n + 1})`
    expect(texts).toEqual([
      `Deleting segment ${segment(0)} due to log start offset 2 breach`,
      `Deleting segment ${segment(2)} due to log retention size 200 breach. Log size after deletion will be 288.`,
    ])
    expect(of('info')).toContain('Incremented log start offset to 4 due to segment deletion')
    machine.clock.advance(10)
    await log.runRetention()
    expect(of('info')).toContainEqual(
      `Deleting segment ${segment(4)} due to log retention time 1000ms breach based on the largest record timestamp in the segment`,
    )
  })

  test('is announced to who listens, once the log shows it', async () => {
    const { log } = await segmentedLog({ config: { retentionBytes: 200 } })
    const heard: [unknown, bigint][] = []
    const listen = (message: unknown) => void heard.push([message, log.offsets.logStartOffset])
    subscribe('partition-log:retention', listen)
    await log.runRetention()
    await log.runRetention()
    unsubscribe('partition-log:retention', listen)
    expect(heard).toEqual([
      [expect.objectContaining({ log: 'orders-0', logStartOffset: 4n, deletions: expect.any(Array) }), 4n],
    ])
  })
})
