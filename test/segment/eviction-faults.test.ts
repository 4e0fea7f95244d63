/** Faults while files are closed in favour of others, and when they are opened again. */
import { appendFileSync, existsSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allOf, appendEach, crowded, lengths, pathOf, turn } from '../support/crowded-log.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { errorFrom, rejection } from '../support/errors.js'
import { numbered, testLog, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

describe('a trim that fails', () => {
  test.each(['0.index', '0.timeindex', '0.log'])(
    'of %s takes its log offline, and no other',
    async (name) => {
      const { machine, log, offline, crowdOut } = await crowded({
        preallocate: true,
        internalSegmentBytes: 10_000,
      })
      appendEach(log, 3)
      machine.fail(new RegExp(`^trim ${name.replace('.', '\\.')}$`), 'EIO')
      crowdOut()
      expect(offline).toEqual([])
      await turn()
      expect(offline).toEqual([`ERR_IO ${name}`])
      expect(errorFrom(() => log.append(numbered(1)))).toMatchObject({ code: 'ERR_OFFLINE' })
      crowdOut()
      await log.close()
      const beside = await testLog({ path: log.path, readOnly: true })
      expect(await values(beside.read())).toEqual(allOf(3))
    },
  )

  test.each(['0.index', '0.timeindex', '0.log'])('of %s for want of space is done later', async (name) => {
    const { machine, log, offline, crowdOut } = await crowded({
      preallocate: true,
      internalSegmentBytes: 10_000,
    })
    appendEach(log, 3)
    machine.fail(new RegExp(`^trim ${name.replace('.', '\\.')}$`), 'ENOSPC')
    crowdOut()
    await turn()
    expect(offline).toEqual([])
    expect(log.segments).toMatchObject([{ offsetIndexEntries: 2, timeIndexEntries: 2 }])
    expect(await values(log.read())).toEqual(allOf(3))
    appendEach(log, 1)
    expect(await values(log.read())).toEqual(allOf(4))
    crowdOut()
    await log.close()
    const undisturbed = await testLog({ path: join(tempDir(), 'orders-0'), config: log.config })
    appendEach(undisturbed, 4)
    await undisturbed.close()
    for (const kind of ['log', 'index', 'timeindex']) {
      expect(readFileSync(pathOf(log, kind))).toEqual(readFileSync(pathOf(undisturbed, kind)))
    }
  })

  test('leaves no tail behind a clean close', async () => {
    const { machine, log, crowdOut } = await crowded()
    appendEach(log, 3)
    await log.flush()
    machine.fail(/^trim 0\.timeindex$/, 'ENOSPC')
    crowdOut()
    await turn()
    expect(lengths(log)[2]).toBe(240)
    await log.close()
    expect(await values((await testLog({ path: log.path })).read())).toEqual(allOf(3))
  })
})

test('a roll that was refused while it cut the old segment leaves that with room for entries', async () => {
  const { machine, log } = await crowded()
  appendEach(log, 1)
  machine.fail(/^trim 0\.index$/, 'ENOSPC')
  expect(errorFrom(() => log.roll())).toMatchObject({ code: 'ERR_DISK_FULL' })
  // The time of the first batch is in the index already: the roll had come that far.
  appendEach(log, 3)
  expect(log.segments).toMatchObject([{ offsetIndexEntries: 3, timeIndexEntries: 4 }])
  expect(await values(log.read())).toEqual(allOf(4))
})

test('a trim that fails is told to its log, of a segment that was made under way too', async () => {
  const { machine, log, offline, crowdOut } = await crowded()
  appendEach(log, 3)
  log.roll()
  appendEach(log, 1)
  machine.fail(/^trim 3\.index$/, 'EIO')
  crowdOut()
  await turn()
  expect(offline).toEqual(['ERR_IO 3.index'])
})

test('a close that fails takes its log offline, and no other', async () => {
  const { machine, log, offline, crowdOut } = await crowded()
  appendEach(log, 1)
  machine.fail(/^close 0\.log$/, 'EIO')
  crowdOut()
  await turn()
  expect(offline).toEqual(['ERR_IO 0.log'])
  crowdOut()
})

describe('files that cannot be opened again', () => {
  test.each(['0.log', '0.index', '0.timeindex'])('(%s) refuse the append alone', async (name) => {
    const { machine, log, crowdOut } = await crowded()
    appendEach(log, 3)
    crowdOut()
    machine.fail(new RegExp(`^open ${name.replace('.', '\\.')}$`), 'EMFILE')
    expect(errorFrom(() => appendEach(log, 1))).toMatchObject({ code: 'ERR_IO', errno: 'EMFILE' })
    expect(log.state).toBe('open')
    appendEach(log, 1)
    expect(await values(log.read())).toEqual(allOf(4))
    if (canSeeDescriptors) {
      crowdOut()
      expect(openBelow(log.path)).toEqual([])
    }
  })

  test('fail the read alone', async () => {
    const { machine, log, crowdOut } = await crowded()
    appendEach(log, 3)
    crowdOut()
    machine.fail(/^open 0\.index$/, 'EMFILE')
    expect(await rejection(() => log.fetch(0))).toMatchObject({ errno: 'EMFILE' })
    expect(await values(log.read())).toEqual(allOf(3))
  })

  test.each(['0.index', '0.timeindex'])(
    'to full length (%s) refuse the append alone on a full disk',
    async (name) => {
      const { machine, log, crowdOut } = await crowded()
      appendEach(log, 3)
      crowdOut()
      const before = lengths(log)
      machine.fail(new RegExp(`^resize ${name.replace('.', '\\.')}$`), 'ENOSPC')
      expect(errorFrom(() => appendEach(log, 1))).toMatchObject({ code: 'ERR_DISK_FULL' })
      expect(lengths(log)).toEqual(before)
      expect(log.state).toBe('open')
      appendEach(log, 1)
      expect(await values(log.read())).toEqual(allOf(4))
    },
  )

  test('to full length take the log offline when the disk fails', async () => {
    const { machine, log, offline, crowdOut } = await crowded()
    appendEach(log, 3)
    crowdOut()
    machine.fail(/^resize 0\.timeindex$/, 'EIO')
    expect(errorFrom(() => appendEach(log, 1))).toMatchObject({ code: 'ERR_IO', errno: 'EIO' })
    expect(offline).toEqual(['ERR_IO 0.timeindex'])
  })
})

describe('files that somebody else changed while they were closed', () => {
  const changes: [
    what: string,
    kind: string,
    change: (path: string, length: number) => void,
    at: (length: number) => number,
  ][] = [
    ['a shorter .log', 'log', (path, length) => truncateSync(path, length - 1), (length) => length - 1],
    ['a longer .log', 'log', (path) => appendFileSync(path, 'x'), (length) => length],
    ['a missing entry', 'index', (path, length) => truncateSync(path, length - 8), (length) => length - 8],
    ['another entry', 'index', (path) => appendFileSync(path, Buffer.alloc(8, 127)), (length) => length],
    ['half an entry', 'index', (path) => appendFileSync(path, Buffer.alloc(4)), (length) => length],
    [
      'a missing time',
      'timeindex',
      (path, length) => truncateSync(path, length - 12),
      (length) => length - 12,
    ],
    ['another time', 'timeindex', (path) => appendFileSync(path, Buffer.alloc(12, 127)), (length) => length],
  ]

  test.each(changes)('%s: is damage by file and position, and left as it is', async (_, kind, change, at) => {
    const { log, crowdOut } = await crowded()
    appendEach(log, 3)
    crowdOut()
    const path = pathOf(log, kind)
    const { size } = statSync(path)
    change(path, size)
    const found = readFileSync(path)
    const damage = { code: 'ERR_CORRUPT', path, position: at(size), expected: size, actual: found.length }
    expect(await rejection(() => log.fetch(0))).toMatchObject(damage)
    expect(await rejection(() => log.fetch(0))).toMatchObject(damage)
    if (canSeeDescriptors) expect(openBelow(log.path)).toEqual([])
    expect(errorFrom(() => appendEach(log, 1))).toMatchObject(damage)
    expect(log.state).toBe('offline')
    await log.close()
    expect(readFileSync(path)).toEqual(found)
    expect(existsSync(join(dirname(log.path), '.kafka_cleanshutdown'))).toBe(false)
  })
})
