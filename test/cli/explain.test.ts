/** `plog explain`: its words for each reason, and that it only looks. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { testLog } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const NOON = Date.parse('2026-11-07T12:00:00Z')
const AT_NOON = ['--now', '2026-11-07T12:00:00Z']

/** A log with a segment for each time, by a record of that time; closed. */
async function logWith(path: string, config: object, ...timestamps: number[]): Promise<string> {
  const log = await openLog(path, {
    config: { messageTimestampAfterMaxMs: '9223372036854775807', ...config },
  })
  for (const [n, timestamp] of timestamps.entries()) {
    if (n > 0) log.roll()
    log.append([{ key: 'k', value: 'v'.repeat(31), timestamp }])
  }
  await log.close()
  return path
}

async function text(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await plog(['explain', ...args])
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return stdout.toString()
}

describe('a log', () => {
  it('in words', async () => {
    const config = { retentionMs: 20_000, fileDeleteDelayMs: 10_000 }
    const path = await logWith(
      join(tempDir(), 'orders-0'),
      config,
      NOON - 21_500,
      NOON - 18_000,
      NOON - 25_000,
      NOON + 60_000,
    )
    expect(
      await text(path, ...AT_NOON),
    ).toBe(`orders-0: 4 segments, 400 bytes, offsets 0 to 4, at 2026-11-07T12:00:00.000Z
  settings: cleanup.policy=delete retention.bytes=-1 retention.ms=20000 file.delete.delay.ms=10000
  next check: by a process that has the log open to write, every 5 minutes unless set otherwise; or by plog retain
  off: retention.bytes (retention.bytes=-1)
  segment 0 to 0, 100 bytes: goes at the next check
    retention.ms=20000: its newest record is older than that since 2026-11-07T11:59:58.500Z (1500 ms ago)
    its files are removed 10 s after that check
  segment 1 to 1, 100 bytes: stays
    retention.ms=20000: its newest record is 18 s old, until 2026-11-07T12:00:02.000Z (in 2 s)
    goes at the first check after 2026-11-07T12:00:02.000Z (in 2 s); its files are removed 10 s after that check
  segment 2 to 2, 100 bytes: stays
    oldest first: the segment at 1 stays longer
    goes at the first check after 2026-11-07T12:00:02.000Z (in 2 s); its files are removed 10 s after that check
  segment 3 to 3, active, 100 bytes: stays
    retention.ms=20000: its newest record is from the future, by 60 s, until 2026-11-07T12:01:20.000Z (in 80 s)
    goes at the first check after 2026-11-07T12:01:20.000Z (in 80 s); its files are removed 10 s after that check
  next roll of segment 3: not by an append of now; nothing rolls while nobody appends
    size: 1073741724 bytes left of 1073741824
    time: an append with a timestamp later than 2026-11-14T12:01:00.000Z (in 7 d) rolls
    indexes: 1310720 entries left in the offset index, 873811 in the time index
  cleaning: none, cleanup.policy has no compact
`)
  })

  it('kept by size, by its start, and for want of a timestamp', async () => {
    const path = await logWith(
      join(tempDir(), 'orders-0'),
      { retentionMs: -1, retentionBytes: 150 },
      NOON,
      NOON,
      NOON,
      NOON,
    )
    await plog(['delete-records', path, '--before', '1'])
    const told = await text(path, ...AT_NOON)
    expect(told).toContain('off: retention.ms (retention.ms=-1)')
    expect(told).toContain(
      'segment 0 to 0, 100 bytes: goes at the next check\n    log start offset 1: all of it lies below',
    )
    expect(told).toContain(
      'segment 1 to 1, 100 bytes: goes at the next check\n    retention.bytes=150: without it and those before it the log has 200 bytes',
    )
    expect(told).toContain(
      'segment 2 to 2, 100 bytes: stays\n    log start offset 1: it has records from there on\n    retention.bytes=150: without it the log would be 50 bytes short of that',
    )
    expect(told).toContain('log start offset 1: never takes the active segment')
    const timeless = await logWith(join(tempDir(), 'orders-0'), { retentionMs: 60_000 }, -1)
    expect(await text(timeless)).toMatch(
      /retention.ms=60000: no record has a timestamp, its file was last written \S+ \(\S+ \w+ ago\), until/,
    )
  })

  it('that compacts', async () => {
    const path = await logWith(join(tempDir(), 'orders-0'), { cleanupPolicy: 'compact' }, NOON)
    const told = await text(path, ...AT_NOON)
    expect(told).toContain(
      'off: retention.bytes (cleanup.policy=compact), retention.ms (cleanup.policy=compact)',
    )
    expect(told).toContain('cleaning:\n    clean below offset 0, 0 bytes; dirty behind it,')
    expect(told).toContain('ends at offset 0: the active segment, which is cleaned once it has rolled')
  })

  it('of somebody else, without settings and with some', async () => {
    const path = await logWith(join(tempDir(), 'orders-0'), {}, NOON - 30_000)
    // A log of our own has its own, and goes by them.
    expect(await text(path, ...AT_NOON, '--config', 'retention.ms=20000')).toContain(
      'retention.ms=604800000 ',
    )
    rmSync(join(path, 'partition-log.properties'))
    const told = await text(path, ...AT_NOON)
    expect(told).toContain(
      'settings: not known, as this package did not make the log: nothing is taken from it',
    )
    expect(told).toContain('segment 0 to 0, active, 100 bytes: stays\n  next roll')
    expect(told).toContain('cleaning: not known')
    const given = await text(path, ...AT_NOON, '--config', 'retention.ms=20000')
    expect(given).toContain('segment 0 to 0, active, 100 bytes: goes at the next check')
  })

  it('with deleted segments whose files still lie there', async () => {
    const path = await logWith(join(tempDir(), 'orders-0'), { retentionMs: 0 }, NOON - 1_000, NOON)
    await plog(['retain', path])
    expect(await text(path)).toContain(
      'deleted: segment 0, 100 bytes, renamed to .deleted; its files are removed file.delete.delay.ms after that, or by the next start',
    )
    expect(jsonLines(await plog(['explain', path, '--json']))[0]?.waiting).toEqual([
      { baseOffsets: ['0'], sizeInBytes: 100, untilMs: null },
      { baseOffsets: ['1'], sizeInBytes: 100, untilMs: null },
    ])
  })

  it('beside its writer, and changes nothing', async () => {
    const path = join(tempDir(), 'orders-0')
    const log = await testLog({ path })
    log.append([{ value: 'v', timestamp: NOON }])
    const everything = () => readdirSync(join(path, '..'), { recursive: true, encoding: 'utf8' }).sort()
    const before = everything()
    expect(await text(path)).toContain('orders-0: 1 segment, ')
    expect(everything()).toEqual(before)
    log.append([{ value: 'w', timestamp: NOON }])
  })

  it('that stands alone', async () => {
    const path = join(tempDir(), 'anything')
    await (await openLog(path, { standalone: true })).close()
    expect(await text(path)).toMatch(/^anything: 1 segment, 0 bytes/)
  })
})

describe('a log directory', () => {
  async function directory(): Promise<string> {
    const data = tempDir()
    for (const name of ['a-0', 'b-0', 'c-0']) await logWith(join(data, name), { indexIntervalBytes: 0 }, NOON)
    rmSync(join(data, 'b-0', '00000000000000000000.index'))
    return data
  }

  it('log by log; one that cannot be opened is told in its place', async () => {
    const data = await directory()
    const { exitCode, stdout, stderr } = await plog(['explain', data])
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' })
    const paragraphs = stdout.toString().split('\n\n')
    expect(paragraphs.map((paragraph) => paragraph.slice(0, 6))).toEqual(['a-0: 1', 'b-0: E', 'c-0: 1'])
    expect(paragraphs[1]).toMatch(/^b-0: ERR_CORRUPT: .*00000000000000000000\.index/)
  })

  it('as JSON, a line a log', async () => {
    const data = await directory()
    const run = await plog(['explain', data, '--json', ...AT_NOON])
    expect(run).toMatchObject({ exitCode: 1, stderr: '' })
    expect(jsonLines(run)).toMatchObject([
      { log: 'a-0', nowMs: NOON, segments: [{ baseOffset: '0', largestTimestamp: String(NOON) }] },
      { log: 'b-0', error: { code: 'ERR_CORRUPT', kind: 'index' } },
      { log: 'c-0', nextCheck: { kind: 'elsewhere' } },
    ])
  })

  it('with logs of a broker among them', async () => {
    const data = join(import.meta.dirname, '../golden/broker-4.4.0')
    const rows = jsonLines(await plog(['explain', data, '--json']))
    expect(rows.length).toBeGreaterThan(1)
    for (const row of rows) expect(row).toMatchObject({ settings: { cleanupPolicy: null } })
  })

  it('is refused where it holds no log, or is none', async () => {
    const empty = tempDir()
    mkdirSync(join(empty, 'lost+found'))
    writeFileSync(join(empty, 'file'), '')
    for (const path of [empty, join(empty, 'file'), join(empty, 'not-there')])
      expect(await plog(['explain', path])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('ERR_NOT_A_LOG'),
      })
  })
})
