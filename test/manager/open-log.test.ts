import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLog } from '../../lib/manager/open-log.js'
import { backendUnderTest } from '../support/backend.js'
import { numbered, testLog, values } from '../support/log.js'
import { nativeUnderTest } from '../support/native.js'
import { tempDir } from '../support/temp-dir.js'

const MARKER = '.kafka_cleanshutdown'

describe('openLog', () => {
  test('creates the files that Kafka has, and the settings beside them', async () => {
    const log = await testLog({ config: { segmentMs: 5_000, retentionMs: -1 } })
    expect(readFileSync(join(log.path, 'partition.metadata'), 'latin1')).toMatch(
      /^version: 0\ntopic_id: [\w-]{22}$/,
    )
    expect(readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')).toBe('')
    const settings = readFileSync(join(log.path, 'partition-log.properties'), 'latin1')
    expect(settings.split('\n').slice(1)).toEqual(['retention.ms=-1', 'segment.ms=5000', ''])
    log.append(numbered(1))
    await log.close()
    expect(readFileSync(join(log.path, 'leader-epoch-checkpoint'), 'latin1')).toBe('0\n1\n0 0\n')
    const above = dirname(log.path)
    expect(readFileSync(join(above, 'recovery-point-offset-checkpoint'), 'latin1')).toBe('0\n1\norders 0 1\n')
    expect(readFileSync(join(above, 'log-start-offset-checkpoint'), 'latin1')).toBe('0\n0\n')
    expect(existsSync(join(above, '.lock'))).toBe(false)
  })

  test('opens again what was closed', async () => {
    const log = await testLog({ config: { internalSegmentBytes: 500 } })
    for (let n = 0; n < 20; n++) log.append(numbered(3, n * 3))
    const before = log.segments.map(({ baseOffset }) => baseOffset)
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.segments.map(({ baseOffset }) => baseOffset)).toEqual(before)
    expect(again.offsets).toMatchObject({ logEndOffset: 60n, recoveryPoint: 60n, durableOffset: 60n })
    expect(again.config.internalSegmentBytes).toBe(500)
    again.append(numbered(1, 60))
    expect(await values(again.read({ from: 58 }))).toEqual(['v58', 'v59', 'v60'])
  })

  test.each([
    'orders',
    'orders-',
    'orders-x',
    'orders-01',
    '-0',
    'or ders-0',
    `${'a'.repeat(250)}-0`,
    `o-0.${'0'.repeat(32)}-delete`,
  ])('refuses the directory name %j', async (name) => {
    await expect(openLog(join(tempDir(), name))).rejects.toMatchObject({ code: 'ERR_NOT_A_LOG' })
  })

  test('standalone keeps lock, checkpoints and marker inside', async () => {
    const path = join(tempDir(), 'anything')
    const log = await testLog({ path, standalone: true })
    log.append(numbered(2))
    expect(existsSync(join(path, '.lock')) || existsSync(join(path, '.lock.pid'))).toBe(true)
    await log.close()
    expect(readdirSync(path)).toEqual(expect.arrayContaining([MARKER, 'recovery-point-offset-checkpoint']))
    expect(readdirSync(dirname(path))).toEqual(['anything'])
    const again = await testLog({ path, standalone: true })
    expect(again.offsets.logEndOffset).toBe(2n)
  })

  test('one log is open once, its neighbours beside it', async () => {
    const above = tempDir()
    const first = await testLog({ path: join(above, 'a-0') })
    await expect(openLog(first.path)).rejects.toMatchObject({ code: 'ERR_LOCKED', pid: process.pid })
    const second = await testLog({ path: join(above, 'b-0') })
    first.append(numbered(1))
    await first.close()
    expect(existsSync(join(above, MARKER))).toBe(false)
    const again = await testLog({ path: first.path })
    expect(again.offsets.logEndOffset).toBe(1n)
    await Promise.all([again.close(), second.close()])
    expect(existsSync(join(above, MARKER))).toBe(true)
  })

  test('a close and an open at the same time follow each other', async () => {
    const log = await testLog()
    log.append(numbered(1))
    const closing = log.close()
    await closing
    const [again] = await Promise.all([testLog({ path: log.path }), log.close()])
    expect(again?.offsets.logEndOffset).toBe(1n)
  })

  test('recovers a log that was not closed cleanly; for a neighbour it does not vouch', async () => {
    const log = await testLog()
    log.append(numbered(1))
    await log.close()
    rmSync(join(dirname(log.path), MARKER))
    const neighbour = await testLog({ path: join(dirname(log.path), 'new-0') })
    expect(neighbour.recovery).toBeNull()
    await neighbour.close()
    expect(existsSync(join(dirname(log.path), MARKER))).toBe(false)
    const readOnly = await testLog({ path: log.path, readOnly: true })
    expect(await values(readOnly.read())).toEqual(['v0'])
    await readOnly.close()
    const again = await testLog({ path: log.path })
    expect(again.recovery).toMatchObject({ wasClean: false, segmentsScanned: 1 })
    await again.close()
    // The neighbour was not opened since.
    expect(existsSync(join(dirname(log.path), MARKER))).toBe(false)
    const both = await Promise.all([log, neighbour].map(({ path }) => testLog({ path })))
    for (const one of both) await one.close()
    expect(existsSync(join(dirname(log.path), MARKER))).toBe(true)
  })

  test('a directory made for a log that never got a segment is no reason to refuse', async () => {
    const above = tempDir()
    mkdirSync(join(above, 'never-0'))
    const log = await testLog({ path: join(above, 'orders-0') })
    log.append(numbered(1))
    const other = await testLog({ path: join(above, 'never-0') })
    expect(other.offsets.logEndOffset).toBe(0n)
  })

  test('readOnly beside a live writer: whole batches, no lock, nothing written', async () => {
    const writer = await testLog({ config: { indexIntervalBytes: 0, internalSegmentBytes: 900 } })
    for (let n = 0; n < 10; n++) writer.append(numbered(2, n * 2))
    const reader = await testLog({ path: writer.path, readOnly: true })
    expect(await values(reader.read())).toHaveLength(20)
    expect(reader.locate(19).batch).toMatchObject({ lastOffset: 19n })
    writer.append(numbered(2, 20))
    expect(reader.offsets.logEndOffset).toBe(20n)
    const before = readdirSync(writer.path)
    await reader.close()
    expect(readdirSync(writer.path)).toEqual(before)
    expect(existsSync(join(dirname(writer.path), MARKER))).toBe(false)
  })

  test.each([
    ['cut in its last batch', (bytes: Buffer) => bytes.subarray(0, bytes.length - 3), 4],
    ['with a flipped byte in its last batch', (bytes: Buffer) => flip(bytes, bytes.length - 1), 4],
    ['with zeros behind its end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(500)]), 6],
    ['cut far below its last index entry', (bytes: Buffer) => bytes.subarray(0, 150), 2],
  ])('readOnly takes a log %s as far as it is whole', async (_, damage, count) => {
    const log = await testLog({ config: { indexIntervalBytes: 0 } })
    for (let n = 0; n < 3; n++) log.append(numbered(2, n * 2))
    await log.close()
    const path = join(log.path, '00000000000000000000.log')
    writeFileSync(path, damage(readFileSync(path)))
    if (count === 2)
      for (const kind of ['index', 'timeindex']) growIndex(join(log.path, `00000000000000000000.${kind}`))
    const reader = await testLog({ path: log.path, readOnly: true })
    expect(await values(reader.read())).toHaveLength(count)
    expect(reader.offsets.logEndOffset).toBe(BigInt(count))
  })

  test('create: false and readOnly make nothing', async () => {
    const path = join(tempDir(), 'orders-0')
    await expect(openLog(path, { create: false })).rejects.toMatchObject({ code: 'ERR_NOT_A_LOG' })
    await expect(openLog(path, { readOnly: true })).rejects.toMatchObject({ code: 'ERR_NOT_A_LOG' })
    expect(existsSync(path)).toBe(false)
    expect(readdirSync(dirname(path)).filter((name) => name !== MARKER)).toEqual([])
  })

  test('other settings than the stored ones are a mismatch; the same and fewer are not', async () => {
    const log = await testLog({ config: { segmentMs: 5_000 } })
    await log.close()
    await expect(openLog(log.path, { config: { segmentMs: 6_000 } })).rejects.toMatchObject({
      code: 'ERR_CONFIG_MISMATCH',
      actual: ['segment.ms'],
    })
    const same = await testLog({ path: log.path, config: { segmentMs: 5_000n } })
    expect(same.config.segmentMs).toBe(5_000)
  })

  test.each([
    [{ segmentBytes: 1_000 }, 'segment.bytes'],
    [{ segmentIndexBytes: 11 }, 'segment.index.bytes'],
    [{ cleanupPolicy: ['remove'] }, 'cleanup.policy'],
    [{ nonsense: 1 }, 'nonsense'],
  ])('refuses the settings %j and makes nothing', async (config, name) => {
    const path = join(tempDir(), 'orders-0')
    const refused = openLog(path, { config: config as never })
    await expect(refused).rejects.toMatchObject({
      code: 'ERR_CONFIG_INVALID',
      message: expect.stringContaining(name),
    })
    expect(existsSync(path)).toBe(false)
  })

  test('takes no notice of foreign files and directories', async () => {
    const log = await testLog()
    log.append(numbered(1))
    await log.close()
    for (const name of ['abc.log', '.log', 'x.snapshot', 'notes.txt', '00000000000000000000.log.bak']) {
      writeFileSync(join(log.path, name), 'foreign')
    }
    mkdirSync(join(log.path, '00000000000000000007.log'))
    mkdirSync(join(dirname(log.path), 'lost+found'))
    const again = await testLog({ path: log.path })
    expect(await values(again.read())).toEqual(['v0'])
  })

  test('removes what a deletion left behind', async () => {
    const log = await testLog()
    await log.close()
    writeFileSync(join(log.path, '00000000000000000099.log.deleted'), 'x')
    await testLog({ path: log.path })
    expect(readdirSync(log.path)).not.toContain('00000000000000000099.log.deleted')
  })

  test('an empty active segment may lack its indexes', async () => {
    const log = await testLog()
    log.append(numbered(1))
    log.roll()
    await log.close()
    rmSync(join(log.path, '00000000000000000001.index'))
    rmSync(join(log.path, '00000000000000000001.timeindex'))
    const again = await testLog({ path: log.path })
    again.append(numbered(1, 1))
    expect(await values(again.read())).toEqual(['v0', 'v1'])
  })

  test('a log without segments begins at its checkpointed start', async () => {
    const log = await testLog()
    log.append(numbered(5))
    await log.deleteRecordsBefore(5)
    await log.close()
    for (const name of readdirSync(log.path)) if (/^\d{20}/.test(name)) rmSync(join(log.path, name))
    const again = await testLog({ path: log.path })
    expect(again.offsets).toMatchObject({ logStartOffset: 5n, logEndOffset: 5n })
  })
})

describe('damage found on opening names file and position', () => {
  const LOG = '00000000000000000000.log'

  test.each([
    ['a cut tail', LOG, (bytes: Buffer) => bytes.subarray(0, bytes.length - 3), 'torn-tail'],
    ['a flipped byte', LOG, (bytes: Buffer) => flip(bytes, bytes.length - 1), 'batch'],
    ['bytes behind the end', LOG, (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(100)]), 'batch'],
  ] as const)('%s', async (_, file, damage, kind) => {
    const log = await testLog({ config: { indexIntervalBytes: 0 } })
    for (let n = 0; n < 3; n++) log.append(numbered(2, n * 2, 1_000 + n * 10))
    await log.close()
    const path = join(log.path, file)
    writeFileSync(path, damage(readFileSync(path)))
    const before = readFileSync(path)
    await expect(openLog(log.path)).rejects.toMatchObject({
      code: 'ERR_CORRUPT',
      kind,
      path,
      position: expect.any(Number),
    })
    expect(readFileSync(path)).toEqual(before)
    expect(existsSync(join(dirname(log.path), MARKER))).toBe(true)
  })

  test.each([
    ['leader-epoch-checkpoint', 'abc\n', 'checkpoint'],
    ['partition-log.properties', 'no equals sign', 'settings'],
    ['partition-log.properties', 'segment.bytes=7', 'settings'],
    ['../log-start-offset-checkpoint', '0\n2\norders 0 1\n', 'checkpoint'],
  ])('%s with %j', async (file, text, kind) => {
    const log = await testLog()
    log.append(numbered(1))
    await log.close()
    const path = join(log.path, file)
    writeFileSync(path, text)
    await expect(openLog(log.path)).rejects.toMatchObject({ code: 'ERR_CORRUPT', kind, path })
  })
})

/** As an index is while its segment is active. */
function growIndex(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, Buffer.concat([bytes, Buffer.alloc(bytes.length * 10)]))
}

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] as number) ^ 0x55
  return copy
}

test('two backends do not share a directory in one process', async () => {
  const one = await testLog()
  const other = backendUnderTest().name === 'native' ? 'portable' : 'native'
  const path = join(dirname(one.path), 'other-0')
  const options = { backend: other } as const
  if (other === 'native' && nativeUnderTest() === undefined) return
  await expect(openLog(path, options)).rejects.toMatchObject({ code: 'ERR_LOCKED' })
  expect(existsSync(path)).toBe(false)
})
