/** `plog retain`: what it deletes and tells, of one log and of a log directory, once and again and again. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { Context } from '../../lib/cli/context.js'
import { Checks } from '../../lib/cli/retain/checks.js'
import { openLog, type PartitionLog, PartitionLogError } from '../../lib/index.js'
import { beginPlog, Collector, jsonLines, plog, startPlog } from '../support/cli.js'
import { testLog } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const HOUR_MS = 3_600_000

/** Segments of one record of 100 bytes each, so many hours old; closed. */
async function logWith(path: string, config: object, ...hours: number[]): Promise<string> {
  const log = await openLog(path, { config })
  for (const [n, old] of hours.entries()) {
    if (n > 0) log.roll()
    log.append([{ key: 'k', value: 'v'.repeat(31), timestamp: Date.now() - old * HOUR_MS }])
  }
  await log.close()
  return path
}

/** What a command with `--json` writes to. */
function contextOf() {
  const [stdout, stderr] = [new Collector(), new Collector()]
  const io = { stdin: Readable.from([]), stdinBytes: undefined, env: {}, onInterrupt: () => () => undefined }
  return { context: new Context({ ...io, stdout, stderr }, true), stdout, stderr }
}

function logFiles(path: string): string[] {
  return readdirSync(path)
    .filter((name) => name.includes('.log'))
    .sort()
}

const name = (baseOffset: number) => `${String(baseOffset).padStart(20, '0')}.log`
const HOURS_10 = { retentionMs: 10 * HOUR_MS }

describe('one log', () => {
  it('is checked once; its lines are the words of a broker', async () => {
    const path = await logWith(join(tempDir(), 'orders-0'), HOURS_10, 30, 20, 1)
    const { exitCode, stdout, stderr } = await plog(['retain', path])
    expect(stdout.toString().replace(/(Time|stamp)=\d+/g, '$1=N')).toBe(
      [0, 1]
        .map(
          (offset) =>
            `orders-0: Deleting segment LogSegment(baseOffset=${offset}, size=100, lastModifiedTime=N, largestRecordTimestamp=N) due to log retention time 36000000ms breach based on the largest record timestamp in the segment\n`,
        )
        .join('')
        .replace(/^/, 'orders-0: Incremented log start offset to 2 due to segment deletion\n'),
    )
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr:
        'deleted 2 segments of 1 log, 200 bytes; files that still end in .deleted go when the log is next opened\n',
    })
    expect(logFiles(path)).toEqual([`${name(0)}.deleted`, `${name(1)}.deleted`, name(2)])
    expect((await plog(['offsets', path, '--time', 'earliest'])).stdout.toString()).toBe('orders:0:2\n')
    const again = await plog(['retain', path])
    expect([again.exitCode, again.stdout.toString(), again.stderr]).toEqual([
      0,
      '',
      'deleted nothing of 1 log; plog explain tells why\n',
    ])
    expect(logFiles(path)).toEqual([name(2)])
  })

  it('as JSON, an object for each deletion', async () => {
    const path = await logWith(
      join(tempDir(), 'orders-0'),
      { retentionMs: -1, retentionBytes: 150 },
      30,
      20,
      1,
    )
    const run = await plog(['retain', path, '--json'])
    expect({ exitCode: run.exitCode, stderr: run.stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(jsonLines(run)).toEqual([
      {
        log: 'orders-0',
        event: 'segment-deleted',
        baseOffset: '0',
        sizeInBytes: 100,
        cause: { rule: 'retention.bytes', retentionBytes: 150, logBytesAfter: 200 },
        message: expect.stringContaining(
          'due to log retention size 150 breach. Log size after deletion will be 200.',
        ),
      },
      { event: 'checked', logs: 1, checks: 1, segments: 1, sizeInBytes: 100 },
    ])
  })

  it('that compacts loses what lies below its start, and nothing by age', async () => {
    const path = await logWith(
      join(tempDir(), 'orders-0'),
      { ...HOURS_10, cleanupPolicy: 'compact' },
      30,
      20,
      15,
    )
    await plog(['delete-records', path, '--before', '1'])
    expect((await plog(['retain', path])).stdout.toString()).toMatch(
      /baseOffset=0.*log start offset 1 breach\n$/,
    )
    expect(logFiles(path)).toEqual([`${name(0)}.deleted`, name(1), name(2)])
  })

  it('whose records are from the future is warned of on stderr', async () => {
    const config = { ...HOURS_10, messageTimestampAfterMaxMs: '9223372036854775807' }
    const path = await logWith(join(tempDir(), 'orders-0'), config, -5)
    const text = /LogSegment\(.*\) contains future timestamp\(s\), making it ineligible to be deleted/
    expect((await plog(['retain', path])).stderr).toMatch(new RegExp(`^orders-0: ${text.source}`))
    const { stderr } = await plog(['retain', path, '--json'])
    expect(JSON.parse(stderr)).toEqual({ warning: { log: 'orders-0', message: expect.stringMatching(text) } })
  })

  it('that another has open is left alone', async () => {
    const log = await testLog({ config: { retentionMs: 0 } })
    log.append([{ value: 'v', timestamp: 0 }])
    // This process has the directory's lock, so another one is asked.
    const run = startPlog(['retain', log.path])
    expect(await run.result).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('ERR_LOCKED') })
    expect(log.offsets.logStartOffset).toBe(0n)
  })

  it('that is not there is none, and none is made', async () => {
    const data = tempDir()
    for (const path of [join(data, 'orders-0'), data])
      expect(await plog(['retain', path])).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('ERR_NOT_A_LOG'),
      })
    expect(readdirSync(data)).toEqual([])
  })
})

describe('a log directory', () => {
  it('is checked log by log; of somebody else’s nothing is taken unless settings are given', async () => {
    const data = tempDir()
    for (const log of ['a-0', 'b-0', 'c-0']) await logWith(join(data, log), HOURS_10, 30, 20)
    rmSync(join(data, 'b-0', 'partition-log.properties'))
    const first = await plog(['retain', data])
    expect(first.exitCode).toBe(0)
    expect(first.stderr).toBe(
      'b-0 was not made by this package, and no settings of deletion were given (--config): nothing is taken from it\n' +
        'deleted 4 segments of 3 logs, 400 bytes; files that still end in .deleted go when the log is next opened\n',
    )
    expect(logFiles(join(data, 'b-0'))).toEqual([name(0), name(1)])
    expect(logFiles(join(data, 'c-0'))).toEqual([`${name(0)}.deleted`, `${name(1)}.deleted`, name(2)])
    const second = await plog(['retain', data, '--config', `retention.ms=${10 * HOUR_MS}`, '--json'])
    expect(jsonLines(second)).toMatchObject([
      { log: 'b-0', baseOffset: '0' },
      { log: 'b-0', baseOffset: '1' },
      { event: 'checked', logs: 3, segments: 2 },
    ])
  })

  it('with a log that cannot be opened has exit code 1, and the others are checked', async () => {
    const data = tempDir()
    for (const log of ['a-0', 'b-0'])
      await logWith(join(data, log), { ...HOURS_10, indexIntervalBytes: 0 }, 30, 20)
    writeFileSync(join(data, 'a-0', 'leader-epoch-checkpoint'), 'x')
    const run = await plog(['retain', data])
    expect(run).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^plog: ERR_CORRUPT: .*a-0.*leader-epoch-checkpoint/),
    })
    expect(run.stderr).toContain('deleted 2 segments of 1 log')
    expect(logFiles(join(data, 'b-0'))).toHaveLength(3)
  })
})

describe('a log that fails', () => {
  it('is told of and left out, and the others go on; without any the checks are over', async () => {
    const { context, stdout, stderr } = contextOf()
    const failed = new PartitionLogError('ERR_IO', 'the disk is gone')
    const failing = { name: 'a-0', runRetention: () => Promise.reject(failed) }
    let count = 0
    const sound = {
      name: 'b-0',
      runRetention: () =>
        ++count < 3 ? Promise.resolve({ deletions: [], logStartOffset: 0n }) : Promise.reject(failed),
    }
    const checks = new Checks(context, [failing, sound] as unknown as PartitionLog[])
    await checks.checkAll()
    await checks.checkAll()
    expect([count, checks.areOver, context.exitCode]).toEqual([2, false, 3])
    expect(JSON.parse(stderr.bytes.toString())).toEqual({
      error: { code: 'ERR_IO', message: 'the disk is gone' },
    })
    await checks.checkAll()
    expect(checks.areOver).toBe(true)
    await checks.tellSummary()
    await context.out.end()
    expect(JSON.parse(stdout.bytes.toString())).toMatchObject({
      event: 'checked',
      logs: 2,
      checks: 3,
      segments: 0,
    })
  })
})

describe('--every', () => {
  it('goes on until interrupted, and removes files when their time has come', async () => {
    const data = tempDir()
    const path = await logWith(join(data, 'orders-0'), { ...HOURS_10, fileDeleteDelayMs: 0 }, 30, 1)
    const run = beginPlog(['retain', data, '--every', '20', '--json'])
    await run.stdout.until('file-removed')
    run.interrupt()
    const result = await run.result
    expect({ exitCode: result.exitCode, stderr: result.stderr }).toEqual({ exitCode: 0, stderr: '' })
    const [deleted, removed, checked] = jsonLines(result)
    expect(deleted).toMatchObject({ event: 'segment-deleted', baseOffset: '0' })
    expect(removed).toMatchObject({
      event: 'file-removed',
      log: 'orders-0',
      message: `Deleted log ${name(0)}.deleted.`,
    })
    expect(basename(removed?.path as string)).toBe(`${name(0)}.deleted`)
    expect(checked).toMatchObject({ event: 'checked', segments: 1 })
    expect(logFiles(path)).toEqual([name(1)])
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'is ended by %s: the log is closed, and the exit code is 0',
    async (signal) => {
      const path = await logWith(join(tempDir(), 'orders-0'), HOURS_10, 30, 1)
      const run = startPlog(['retain', path, '--every', '60000'])
      await run.stdout.until('Deleting segment')
      run.child.kill(signal)
      expect(await run.result).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('deleted 1 segment of 1 log'),
      })
      const again = await openLog(path)
      expect(again.offsets.logStartOffset).toBe(1n)
      await again.close()
    },
  )

  it('takes a number of ms, at least 1', async () => {
    expect((await plog(['retain', tempDir(), '--every', 'soon'])).exitCode).toBe(2)
    expect((await plog(['retain', tempDir(), '--every', '0'])).exitCode).toBe(2)
  })
})
