/** Opening what lies in log directories: all of it, told as it goes on, and given back where that ends early. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLogManager } from '../../lib/manager/open-log-manager.js'
import type { Progress } from '../../lib/manager/open-options.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { codeOf } from '../support/errors.js'
import { numbered } from '../support/log.js'
import { named, namesOf, testManager } from '../support/manager.js'
import { telling } from '../support/telling.js'
import { memoryDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const MARKER = '.kafka_cleanshutdown'

describe('opening', () => {
  /** A directory of `count` logs with `n` records in the nth, closed cleanly. */
  async function closedLogs(count: number): Promise<string> {
    const directory = memoryDir()
    const manager = await testManager({ logDirs: [directory] })
    for (let n = 0; n < count; n++) {
      const log = await manager.createLog({ topic: 'many', partition: n })
      if (n > 0) log.append(numbered(n))
    }
    await manager.close()
    return directory
  }

  test('loads all logs, several at a time, and tells how far it is', async () => {
    const directory = await closedLogs(20)
    const told: Progress[] = []
    const manager = await testManager({ logDirs: [directory], onProgress: (progress) => told.push(progress) })
    expect(manager.logs()).toHaveLength(20)
    for (const [n, log] of manager.logs().entries()) expect(log.offsets.logEndOffset).toBe(BigInt(n))
    expect(told.map(({ done }) => done)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1))
    for (const { phase, total } of told) expect([phase, total]).toEqual(['load', 20])
    expect(new Set(told.map(({ log }) => log)).size).toBe(20)
  })

  test('an empty directory is opened, and closed with a marker', async () => {
    const directory = memoryDir()
    await (await testManager({ logDirs: [directory] })).close()
    expect(readdirSync(directory).sort()).toEqual([MARKER])
  })

  test('without its marker all logs are recovered, some at a time; one that cannot be keeps the marker away', async () => {
    const directory = await closedLogs(6)
    rmSync(join(directory, MARKER))
    const damaged = join(directory, 'many-4', '00000000000000000000.log')
    const sound = readFileSync(damaged)
    writeFileSync(damaged, sound.subarray(1))
    const { logger, lines } = telling()
    const told: Progress[] = []
    const onProgress = (progress: Progress) => void told.push(progress)
    const manager = await testManager({ logDirs: [directory], logger, onProgress })
    expect(manager.logs().map(({ recovery }) => recovery?.segmentsScanned)).toEqual([1, 1, 1, 1, 1])
    expect(manager.problems).toMatchObject([{ log: 'many-4', error: { code: 'ERR_CORRUPT', path: damaged } }])
    expect(lines).toContainEqual(
      expect.stringContaining(`Recovering 6 logs from ${directory} since no clean shutdown file was found`),
    )
    expect(told.filter(({ phase }) => phase === 'load')).toHaveLength(6)
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
    writeFileSync(damaged, sound)
    const again = await testManager({ logDirs: [directory] })
    expect(again.problems).toEqual([])
    await again.close()
    expect(existsSync(join(directory, MARKER))).toBe(true)
  })

  test('aborted while logs are recovered: no marker vouches for those that were not', async () => {
    const directory = await closedLogs(6)
    rmSync(join(directory, MARKER))
    const abort = new AbortController()
    const onProgress = () => abort.abort(new Error('enough'))
    const opening = testManager({ logDirs: [directory], signal: abort.signal, onProgress })
    await expect(opening).rejects.toThrow('enough')
    expect(existsSync(join(directory, MARKER))).toBe(false)
    expect((await testManager({ logDirs: [directory] })).problems).toEqual([])
  })

  test.each([
    [{}, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: [] }, 'ERR_OUT_OF_RANGE'],
    [{ logDirs: 'data' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: [''] }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a', './a'] }, 'ERR_OUT_OF_RANGE'],
    [{ logDirs: ['a'], config: { nonsense: 1 } }, 'ERR_CONFIG_INVALID'],
    [{ logDirs: ['a'], logDir: 'b' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], onProgress: true }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], signal: {} }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], highWatermark: 'mine' }, 'ERR_INVALID_ARG_TYPE'],
    [{ logDirs: ['a'], logger: console.log }, 'ERR_INVALID_ARG_TYPE'],
  ])('refuses the options %j and makes nothing', async (options, code) => {
    expect(await codeOf(async () => openLogManager(options as never))).toBe(code)
    expect(existsSync('a')).toBe(false)
  })

  test('aborted before it began, nothing is touched', async () => {
    const directory = join(memoryDir(), 'data')
    const signal = AbortSignal.abort(new Error('not now'))
    await expect(testManager({ logDirs: [directory], signal })).rejects.toThrow('not now')
    expect(existsSync(directory)).toBe(false)
  })

  test('aborted on the way, all is given back as it was', async () => {
    const directory = await closedLogs(20)
    const before = treeOf(directory)
    const abort = new AbortController()
    const opening = testManager({
      logDirs: [directory],
      signal: abort.signal,
      onProgress: ({ done }) => done === 3 && abort.abort(new Error('enough')),
    })
    await expect(opening).rejects.toThrow('enough')
    if (canSeeDescriptors) expect(openBelow(directory).length).toBe(0)
    // The directory was clean, and nothing in it was written to.
    expect(treeOf(directory)).toEqual(before)
    expect((await testManager({ logDirs: [directory] })).logs()).toHaveLength(20)
  })

  test('an onProgress that throws ends it, and all is given back', async () => {
    const directory = await closedLogs(20)
    let calls = 0
    const opening = testManager({
      logDirs: [directory],
      onProgress() {
        if (++calls === 2) throw new Error('host')
      },
    })
    await expect(opening).rejects.toThrow('host')
    if (canSeeDescriptors) expect(openBelow(directory).length).toBe(0)
    expect((await testManager({ logDirs: [directory] })).logs()).toHaveLength(20)
  })

  test('known fault 40, 151: a log that cannot be read is left out with its path, the others open', async () => {
    const directory = await closedLogs(3)
    const properties = join(directory, 'many-1', 'partition-log.properties')
    writeFileSync(properties, 'segment.color=red\n')
    const { logger, of } = telling()
    const manager = await testManager({ logDirs: [directory], logger })
    expect(namesOf(manager)).toEqual(['many-0', 'many-2'])
    expect(manager.problems).toEqual([
      {
        log: 'many-1',
        paths: [join(directory, 'many-1')],
        error: expect.objectContaining({ code: 'ERR_CORRUPT' }),
      },
    ])
    expect(manager.problems[0]?.error).toMatchObject({ path: properties, kind: 'settings' })
    expect(of('error')).toContainEqual(expect.stringContaining('segment.color'))
    expect(await codeOf(() => manager.createLog(named('many-1')))).toBe('ERR_CORRUPT')
    expect(readFileSync(properties, 'latin1')).toBe('segment.color=red\n')
    await manager.close()
    expect(existsSync(join(directory, MARKER))).toBe(false)
  })
})
