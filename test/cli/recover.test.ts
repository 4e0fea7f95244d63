/** `plog recover` and `plog verify`: their text, JSON and exit codes, and that they touch nothing where they should not. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonLines, plog } from '../support/cli.js'
import { numbered } from '../support/log.js'
import { memoryDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'
import {
  batchPositions,
  cutBytes,
  flipByte,
  hasMarker,
  killedLog,
  logFile,
  openSwiftly,
  setRecoveryPoint,
} from '../support/unclean-log.js'

/** Segments at 0 and 2, of two batches of one record each; the recovery point is 2. */
async function killed(): Promise<string> {
  const path = await killedLog(
    (log) => {
      for (let n = 0; n < 4; n++) {
        if (n === 2) log.roll()
        log.append(numbered(1, n))
      }
    },
    { indexIntervalBytes: 0 },
  )
  setRecoveryPoint(path, 2)
  return path
}

const text = (run: { stdout: Buffer }) => run.stdout.toString()
/** Bytes of a batch. */
const LAST = 72

describe('recover', () => {
  it('tells what it did; the directory is clean afterwards, and there is nothing left to do', async () => {
    const path = await killed()
    cutBytes(logFile(path, 2), 3)
    const run = await plog(['recover', path])
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(text(run).replace(/\(\d+ ms\)/, '(0 ms)')).toBe(
      `orders-0: scanned 1 segment of ${2 * LAST - 3} bytes, from the recovery point 2 on (0 ms)
  cut ${logFile(path, 2)} at position ${LAST} (torn-batch): ${LAST - 3} bytes, the log ends at offset 3; at or above the recovery point 2
  offsets 0 to 3
`,
    )
    expect(hasMarker(path)).toBe(true)
    expect(await plog(['recover', path])).toMatchObject({ exitCode: 0 })
    expect(text(await plog(['recover', path]))).toBe('orders-0: nothing to recover\n')
  })

  it('with --dry-run tells the same and changes nothing, beside a writer too', async () => {
    const path = await killed()
    cutBytes(logFile(path, 2), 3)
    const before = treeOf(dirname(path))
    const run = await plog(['recover', path, '--dry-run', '--json'])
    expect(treeOf(dirname(path))).toEqual(before)
    const [dry] = jsonLines(run)
    const [done] = jsonLines(await plog(['recover', path, '--json']))
    const { ms: _, ...would } = (dry as { recovery: Record<string, unknown> }).recovery
    expect([dry, done]).toMatchObject([
      { log: 'orders-0', dryRun: true },
      { log: 'orders-0', dryRun: false, recovery: would },
    ])
    const writer = await openSwiftly(path)
    writer.append(numbered(1))
    expect((await plog(['recover', path, '--dry-run'])).exitCode).toBe(0)
    expect(await plog(['recover', path])).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/ERR_LOCKED/),
    })
    await writer.close()
  })

  it('refuses to cut what was known to be on disk, in exit code and words, until it is asked to', async () => {
    const path = await killed()
    setRecoveryPoint(path, 4)
    flipByte(logFile(path, 2), (batchPositions(logFile(path, 2))[1] as number) - 1)
    for (const args of [[], ['--dry-run']]) {
      const run = await plog(['recover', path, ...args])
      expect(run).toMatchObject({
        exitCode: 1,
        stderr: expect.stringMatching(/^plog: ERR_CORRUPT: .*position 0/),
      })
      expect(run.stderr).toContain('sound batches lie behind, with offsets from 3 up to 3')
    }
    const quarantine = join(memoryDir(), 'kept')
    const damaged = readFileSync(logFile(path, 2))
    const run = await plog(['recover', path, '--on-damage', 'cut', '--quarantine', quarantine])
    expect(run.exitCode).toBe(0)
    expect(text(run)).toContain(`kept a copy as ${logFile(join(quarantine, 'orders-0'), 2)}`)
    expect(readFileSync(logFile(join(quarantine, 'orders-0'), 2))).toEqual(damaged)
  })

  it('of a log directory recovers all; one that cannot be hides none of the others, and is exit code 1', async () => {
    const path = await killed()
    const data = dirname(path)
    const bad = join(data, 'bad-0')
    cpSync(path, bad, { recursive: true })
    rmSync(logFile(bad, 0, 'index'))
    flipByte(logFile(bad, 0), -1)
    const run = await plog(['recover', data])
    expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/^plog: ERR_CORRUPT: .*bad-0/) })
    expect(text(run)).toMatch(/^orders-0: scanned 1 segment/)
    expect(hasMarker(path)).toBe(false)
    rmSync(bad, { recursive: true })
    expect((await plog(['recover', data])).exitCode).toBe(0)
    expect(hasMarker(path)).toBe(true)
  })

  it.each([
    [['recover'], 2],
    [['recover', 'x', '--on-damage', 'ignore'], 2],
    [['recover', '/nowhere/x-0'], 2],
    [['verify', '/nowhere/x-0'], 2],
  ])('%j is wrong usage', async (args, exitCode) => {
    expect((await plog(args)).exitCode).toBe(exitCode)
  })
})

describe('verify', () => {
  it('finds a sound log sound', async () => {
    const path = await killed()
    await (await openSwiftly(path)).close()
    const before = treeOf(dirname(path))
    const run = await plog(['verify', path])
    expect(run).toMatchObject({ exitCode: 0, stderr: '' })
    expect(text(run)).toBe(
      `orders-0: sound; 2 segments, 4 batches, 4 records, ${4 * LAST} bytes; closed cleanly\n`,
    )
    expect(jsonLines(await plog(['verify', path, '--json']))).toMatchObject([
      { log: 'orders-0', isClean: true, findings: [], report: null, refusal: null, repair: null },
    ])
    expect(treeOf(dirname(path))).toEqual(before)
  })

  it('names each thing that is wrong, what opening would do, and the smallest repair', async () => {
    const path = await killed()
    cutBytes(logFile(path, 2), 3)
    writeFileSync(logFile(path, 0, 'index'), Buffer.alloc(8, 1))
    rmSync(logFile(path, 0, 'timeindex'))
    const before = treeOf(dirname(path))
    const run = await plog(['verify', path, '--json'])
    expect(run.exitCode).toBe(1)
    const [report] = jsonLines(run)
    const indexes = [logFile(path, 0, 'index'), logFile(path, 0, 'timeindex')]
    expect(report).toMatchObject({
      isClean: false,
      report: { cuts: [{ offset: '3' }] },
      refusal: null,
      repair: expect.stringContaining('plog recover'),
    })
    const found = (report as { findings: { path: string; kind: string }[] }).findings.map(
      ({ path, kind }) => [kind, path],
    )
    expect(found).toEqual(
      expect.arrayContaining([
        ['index', indexes[0]],
        ['index', indexes[1]],
        ['torn-tail', logFile(path, 2)],
      ]),
    )
    expect(text(await plog(['verify', path]))).toMatch(
      /^orders-0: \d found to be wrong; .*not closed cleanly, or in use/,
    )
    expect(treeOf(dirname(path))).toEqual(before)
  })

  it('finds what nothing else would look at: a bad byte in an old segment', async () => {
    const path = await killed()
    await (await openSwiftly(path)).close()
    flipByte(logFile(path, 0), -1)
    const run = await plog(['verify', dirname(path)])
    expect(run.exitCode).toBe(1)
    expect(text(run)).toContain(`${logFile(path, 0)} at position ${LAST}: no sound batch here (bad-crc)`)
    expect(text(run)).toContain(`repair: restore ${logFile(path, 0)}`)
    const log = await openSwiftly(path)
    expect(log.recovery).toBeNull()
    await log.close()
  })

  it('works beside a live writer', async () => {
    const path = await killed()
    const writer = await openSwiftly(path)
    writer.append(numbered(3))
    expect(await plog(['verify', path])).toMatchObject({ exitCode: 0 })
    await writer.close()
  })
})
