/** The checkpoints of a log directory as a manager reads and writes them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLog } from '../../lib/manager/open-log.js'
import { codeOf, rejection } from '../support/errors.js'
import { FailingMachine } from '../support/failing-machine.js'
import { numbered, values } from '../support/log.js'
import { TestClock } from '../support/machine.js'
import { closedDirectory, named, testManager } from '../support/manager.js'
import { RecordingMachine } from '../support/recording-machine.js'
import { swiftBackend } from '../support/swift-backend.js'
import { treeOf } from '../support/tree.js'
import { turns } from '../support/turns.js'

const FILES = [
  'recovery-point-offset-checkpoint',
  'log-start-offset-checkpoint',
  'replication-offset-checkpoint',
] as const
const orders = named('orders-0')

/** A manager over the directory, and what its checkpoints hold. */
async function opened(directory: string, highWatermark: 'auto' | 'manual' = 'auto') {
  const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
  const manager = await testManager({ logDirs: [directory], machine, highWatermark })
  const read = (name: string) => readFileSync(join(directory, name), 'latin1')
  return { machine, manager, read, log: manager.getLog(orders) ?? expect.fail() }
}

const damaged: [what: string, content: string, line: number][] = [
  ['torn', '0\n2\norders 0 1\n', 2],
  ['torn within a line', '0\n1\norders 0', 3],
  ['of another version', '1\n1\norders 0 1\n', 1],
  ['with a foreign line', '0\n2\norders 0 1\n# a remark\n', 4],
  ['of zeros', '\0\0\0\0\0\0', 1],
]

test.each(damaged)('recovery points %s are taken as unknown, and written anew', async (_, content) => {
  const directory = await closedDirectory('orders-0', 'other-1')
  const path = join(directory, 'recovery-point-offset-checkpoint')
  writeFileSync(path, content)
  const manager = await testManager({ logDirs: [directory] })
  expect(manager.problems).toEqual([])
  await manager.close()
  expect(readFileSync(path, 'latin1')).toBe('0\n2\norders 0 3\nother 1 3\n')
})

describe.each(FILES)('%s', (file) => {
  test.each(file === 'recovery-point-offset-checkpoint' ? [] : damaged)(
    '%s is refused with its path and line, and nothing is changed',
    async (_, content, line) => {
      const directory = await closedDirectory('orders-0', 'other-1')
      const path = join(directory, file)
      const sound = readFileSync(path)
      writeFileSync(path, content)
      const before = treeOf(directory)
      const error = await rejection(() => testManager({ logDirs: [directory] }))
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'checkpoint', path })
      expect(error.message).toContain(`line ${line}:`)
      expect(await codeOf(() => openLog(join(directory, 'orders-0')))).toBe('ERR_CORRUPT')
      expect(treeOf(directory)).toEqual(before)
      writeFileSync(path, sound)
      expect((await testManager({ logDirs: [directory] })).problems).toEqual([])
    },
  )

  test.each(['empty', 'missing'])('that is %s is no damage', async (how) => {
    const directory = await closedDirectory('orders-0')
    if (how === 'empty') writeFileSync(join(directory, file), '')
    else rmSync(join(directory, file))
    const manager = await testManager({ logDirs: [directory] })
    expect(await values((manager.getLog(orders) ?? expect.fail()).read())).toHaveLength(3)
    await manager.checkpoint()
    expect(readFileSync(join(directory, file), 'latin1')).toMatch(/^(0\n[01]\n|$)/)
  })
})

describe('lines', () => {
  test('of logs that are not ours stay as they are', async () => {
    const directory = await closedDirectory('orders-0')
    for (const file of FILES)
      writeFileSync(join(directory, file), '0\n2\n__cluster_metadata 0 77\norders 0 1\n')
    const { manager, read, log } = await opened(directory)
    log.append(numbered(1))
    await log.flush()
    await manager.checkpoint()
    await log.deleteRecordsBefore(2)
    await manager.deleteLog(orders)
    await manager.close()
    for (const file of FILES) expect(read(file), file).toBe('0\n1\n__cluster_metadata 0 77\n')
  })

  test('known fault 58, 68: every write goes by a file of its own, flushed before and after it takes the name', async () => {
    const directory = await closedDirectory('orders-0')
    const { machine, manager, log } = await opened(directory)
    await log.append(numbered(1)).durable()
    machine.taken()
    await manager.checkpoint()
    const steps = ['recovery-point', 'replication'].flatMap((kind) => [
      `write ${kind}-offset-checkpoint.tmp`,
      `flushPath ${kind}-offset-checkpoint.tmp`,
      `rename ${kind}-offset-checkpoint.tmp`,
      'flushPath above',
    ])
    expect(machine.taken()).toEqual(steps)
    await manager.checkpoint()
    expect(machine.taken()).toEqual([])
  })

  test('known fault 41: a recovery point never stands for what was not flushed, nor beyond the end', async () => {
    const directory = await closedDirectory('orders-0')
    const { manager, read, log } = await opened(directory)
    await log.append(numbered(1)).durable()
    log.append(numbered(5))
    await manager.checkpoint()
    expect(read('recovery-point-offset-checkpoint')).toBe('0\n1\norders 0 4\n')
    await log.flush()
    await log.truncateTo(2)
    expect(read('recovery-point-offset-checkpoint')).toBe('0\n1\norders 0 2\n')
    await manager.close()
    for (const file of FILES) writeFileSync(join(directory, file), '0\n1\norders 0 1000\n')
    writeFileSync(join(directory, 'log-start-offset-checkpoint'), '0\n1\norders 0 1\n')
    const again = await opened(directory)
    expect(again.log.offsets).toMatchObject({ logStartOffset: 1n, recoveryPoint: 2n, logEndOffset: 2n })
    await again.manager.checkpoint()
    expect(again.read('recovery-point-offset-checkpoint')).toBe('0\n1\norders 0 2\n')
  })

  test('of a log start that its first segment shows are left out', async () => {
    const directory = await closedDirectory('orders-0')
    const { manager, read, log } = await opened(directory)
    await manager.checkpoint()
    expect(read('log-start-offset-checkpoint')).toBe('0\n0\n')
    await log.deleteRecordsBefore(2)
    expect(read('log-start-offset-checkpoint')).toBe('0\n1\norders 0 2\n')
    await manager.checkpoint()
    expect(read('log-start-offset-checkpoint')).toBe('0\n1\norders 0 2\n')
    log.roll()
    await log.deleteRecordsBefore(3)
    await log.runRetention()
    await manager.checkpoint()
    expect(read('log-start-offset-checkpoint')).toBe('0\n0\n')
    await manager.close()
    expect((await opened(directory)).log.offsets.logStartOffset).toBe(3n)
  })

  test('known fault 64: of logs that are being opened are not written', async () => {
    const directory = await closedDirectory('a-0', 'orders-0')
    const before = treeOf(directory)
    const machine = new RecordingMachine(directory, { clock: new TestClock(), backend: swiftBackend() })
    const hold = machine.hold(/^read leader-epoch-checkpoint/)
    const opening = testManager({ logDirs: [directory], machine })
    await hold.reached
    ;(machine.clock as TestClock).advance(3_600_000)
    await turns(20)
    for (const file of FILES) expect(treeOf(directory)[file]).toBe(before[file])
    hold.release()
    expect((await opening).logs()).toHaveLength(2)
    expect(machine.taken().filter((event) => event.startsWith('write'))).toEqual([])
  })
})

describe('a high watermark that the host moves', () => {
  test('comes back from its checkpoint, within what the log holds', async () => {
    const directory = await closedDirectory('orders-0')
    const { manager, log } = await opened(directory, 'manual')
    for (let n = 3; n < 8; n++) log.append(numbered(1, n))
    expect(log.offsets.highWatermark).toBe(3n)
    log.setHighWatermark(6)
    await manager.close()
    const again = await opened(directory, 'manual')
    expect(again.log.offsets).toMatchObject({ highWatermark: 6n, logEndOffset: 8n })
    expect(await values(again.log.read())).toHaveLength(6)
    await again.manager.close()
    for (const [stored, restored] of [
      ['99', 8n],
      ['-1', 0n],
    ] as const) {
      writeFileSync(join(directory, 'replication-offset-checkpoint'), `0\n1\norders 0 ${stored}\n`)
      const next = await opened(directory, 'manual')
      expect(next.log.offsets.highWatermark).toBe(restored)
      await next.manager.close()
    }
  })

  test('begins at the log start where nothing was stored', async () => {
    const directory = await closedDirectory('orders-0')
    rmSync(join(directory, 'replication-offset-checkpoint'))
    writeFileSync(join(directory, 'log-start-offset-checkpoint'), '0\n1\norders 0 2\n')
    const { log } = await opened(directory, 'manual')
    expect(log.offsets).toMatchObject({ logStartOffset: 2n, highWatermark: 2n, logEndOffset: 3n })
  })
})

test('a full disk keeps no directory from being closed cleanly where nothing has to be written', async () => {
  const directory = await closedDirectory('orders-0')
  const machine = new FailingMachine()
  const manager = await testManager({ logDirs: [directory], machine })
  let writes = 0
  machine.fault = (kind, _, path) =>
    kind === 'write' && (path.includes('checkpoint') || (path.includes('clean') && writes++ === 0))
      ? 'ENOSPC'
      : undefined
  await manager.close()
  // Not even for its content: that the file is there is what counts.
  expect(readFileSync(join(directory, '.kafka_cleanshutdown'))).toHaveLength(0)
  machine.mend()
  expect((await testManager({ logDirs: [directory], machine })).logs()).toHaveLength(1)
  expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(false)
})
