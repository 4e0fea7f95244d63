/** An open that fails leaves everything as it was, and works once the cause is mended. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openLog, openLogOn } from '../../lib/manager/open-log.js'
import type { OpenLogOptions } from '../../lib/manager/open-options.js'
import { canSeeDescriptors, openBelow } from '../support/descriptors.js'
import { rejection } from '../support/errors.js'
import { numbered, testLog, values } from '../support/log.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'

const MARKER = '.kafka_cleanshutdown'
const LOG = '00000000000000000004.log'

let original = ''

/** Two segments of four records, closed cleanly, settings of its own, and an epoch. */
beforeAll(async () => {
  const config = { indexIntervalBytes: 0, segmentMs: 5_000_000 }
  const log = await openLog(join(tempDir(), 'orders-0'), { config })
  for (let n = 0; n < 4; n += 2) log.append(numbered(2, n), { leaderEpoch: 3 })
  log.roll()
  for (let n = 4; n < 8; n += 2) log.append(numbered(2, n), { leaderEpoch: 3 })
  await log.close()
  original = dirname(log.path)
})

/** The path of a copy. */
function closedLog(): string {
  const above = tempDir()
  cpSync(original, above, { recursive: true })
  return join(above, 'orders-0')
}

/** Damages the log and gives what mends it again. */
type Damage = (path: string) => () => void

function changed(name: string, change: (bytes: Buffer) => Uint8Array | string): Damage {
  return (path) => {
    const file = join(path, name)
    const before = readFileSync(file)
    writeFileSync(file, change(before))
    return () => writeFileSync(file, before)
  }
}

function added(name: string, content: string): Damage {
  return (path) => {
    writeFileSync(join(path, name), content)
    return () => rmSync(join(path, name))
  }
}

/** A directory where a file is expected cannot be read, by nobody. */
const unreadable =
  (name: string): Damage =>
  (path) => {
    const file = join(path, name)
    const aside = `${file}.aside`
    renameSync(file, aside)
    mkdirSync(file)
    return () => {
      rmdirSync(file)
      renameSync(aside, file)
    }
  }

const flipped = (at: number) => (bytes: Buffer) => {
  const copy = Buffer.from(bytes)
  const index = at < 0 ? copy.length + at : at
  copy[index] = (copy[index] as number) ^ 0x55
  return copy
}

const mended: Damage = () => () => undefined

const failures: [name: string, damage: Damage, code: string, options?: OpenLogOptions][] = [
  ['a cut tail', changed(LOG, (bytes) => bytes.subarray(0, -3)), 'ERR_CORRUPT'],
  ['a flipped byte in the tail', changed(LOG, flipped(-1)), 'ERR_CORRUPT'],
  ['a bad magic in the tail', changed(LOG, flipped(16 + 87)), 'ERR_CORRUPT'],
  ['zeros behind the tail', changed(LOG, (bytes) => Buffer.concat([bytes, Buffer.alloc(99)])), 'ERR_CORRUPT'],
  ['a damaged start checkpoint', changed('../log-start-offset-checkpoint', () => 'x'), 'ERR_CORRUPT'],
  ['damaged epochs', changed('leader-epoch-checkpoint', () => '0\n1\n3\n'), 'ERR_CORRUPT'],
  ['damaged settings', changed('partition-log.properties', () => 'segment.ms=soon'), 'ERR_CORRUPT'],
  ['other settings', mended, 'ERR_CONFIG_MISMATCH', { config: { segmentMs: 6 } }],
  ['a setting out of bounds', mended, 'ERR_CONFIG_INVALID', { config: { retentionMs: -5 } }],
  ['a cleaned segment that is damaged', added('00000000000000000000.log.swap', 'x'), 'ERR_CORRUPT'],
  ['unreadable epochs', unreadable('leader-epoch-checkpoint'), 'ERR_IO'],
  ['unreadable settings', unreadable('partition-log.properties'), 'ERR_IO'],
  ['an unreadable checkpoint', unreadable('../replication-offset-checkpoint'), 'ERR_IO'],
  ['an unreadable log', unreadable('../log-start-offset-checkpoint'), 'ERR_IO'],
]

describe('an open that fails', () => {
  test.each(failures)('for %s leaves all as it was', async (_, damage, code, options = {}) => {
    const path = closedLog()
    const mend = damage(path)
    const before = treeOf(dirname(path))
    expect(before[MARKER]).toBeDefined()
    expect(await rejection(() => openLog(path, options))).toMatchObject({ code })
    expect(treeOf(dirname(path))).toEqual(before)
    if (canSeeDescriptors) expect(openBelow(dirname(path))).toEqual([])
    mend()
    const { config: _config, ...rest } = options
    const log = await testLog({ path, ...rest })
    expect(log.append(numbered(1, 8)).baseOffset).toBe(8n)
    expect(await values(log.read())).toEqual(Array.from({ length: 9 }, (_, n) => `v${n}`))
    await log.close()
    expect(existsSync(join(dirname(path), MARKER))).toBe(true)
  })

  test.each([
    ['the marker', /^remove \.kafka_cleanshutdown/],
    ['the marker’s directory', /^flushPath above/],
    ['the settings', /^read partition-log\.properties/],
    ['a checkpoint', /^read log-start-offset-checkpoint/],
    ['the epochs', /^read leader-epoch-checkpoint/],
    ['the tail', /^lane-read 4\.log/],
  ])('for a disk that fails at %s gives all back', async (_, event) => {
    const path = closedLog()
    const before = treeOf(dirname(path))
    const machine = new RecordingMachine(dirname(path))
    machine.fail(event, 'EIO')
    expect(await rejection(() => openLogOn(machine, path))).toMatchObject({ code: 'ERR_IO', errno: 'EIO' })
    expect(treeOf(dirname(path))).toEqual(before)
    if (canSeeDescriptors) expect(openBelow(dirname(path))).toEqual([])
    const log = await testLog({ path })
    expect(await values(log.read())).toHaveLength(8)
  })

  test('keeps the marker of another writer as it was', async () => {
    const path = closedLog()
    writeFileSync(join(dirname(path), MARKER), '{"version":0,"brokerEpoch":7}')
    const mend = changed(LOG, flipped(-1))(path)
    const before = treeOf(dirname(path))
    await rejection(() => openLog(path))
    expect(treeOf(dirname(path))).toEqual(before)
    mend()
  })

  test('keeps what a deletion left behind for an open that succeeds', async () => {
    const path = closedLog()
    writeFileSync(join(path, '00000000000000000099.log.deleted'), 'x')
    const mend = changed(LOG, flipped(-1))(path)
    const before = treeOf(dirname(path))
    await rejection(() => openLog(path))
    expect(treeOf(dirname(path))).toEqual(before)
    mend()
    await testLog({ path })
    expect(existsSync(join(path, '00000000000000000099.log.deleted'))).toBe(false)
  })

  test('makes no index for an empty segment of a log that it refuses', async () => {
    const path = closedLog()
    writeFileSync(join(path, '00000000000000000008.log'), '')
    const mend = changed('leader-epoch-checkpoint', () => 'x')(path)
    const before = treeOf(dirname(path))
    expect(await rejection(() => openLog(path))).toMatchObject({ code: 'ERR_CORRUPT' })
    expect(treeOf(dirname(path))).toEqual(before)
    mend()
    expect((await testLog({ path })).offsets.logEndOffset).toBe(8n)
  })

  test('beside an open neighbour leaves that one alone', async () => {
    const path = closedLog()
    const neighbour = await testLog({ path: join(dirname(path), 'other-0') })
    const mend = changed(LOG, flipped(-1))(path)
    await rejection(() => openLog(path))
    neighbour.append(numbered(1))
    mend()
    const log = await testLog({ path })
    await Promise.all([log.close(), neighbour.close()])
    expect(existsSync(join(dirname(path), MARKER))).toBe(true)
  })
})

describe('an open that fails for read only', () => {
  test.each(failures.filter((_, index) => index % 3 === 0))(
    'or not, for %s, writes nothing and leaves nothing open',
    async (_, damage, __, options = {}) => {
      const path = closedLog()
      damage(path)
      const before = treeOf(dirname(path))
      await openLog(path, { ...options, readOnly: true }).then(
        (log) => log.close(),
        (error) => expect(error.code).toMatch(/^ERR_/),
      )
      expect(treeOf(dirname(path))).toEqual(before)
      if (canSeeDescriptors) expect(openBelow(dirname(path))).toEqual([])
    },
  )
})
