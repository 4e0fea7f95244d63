import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openLogOn } from '../../lib/manager/open-log.js'
import { faultyMachine } from '../support/faulty-machine.js'
import { closeLater, numbered, values } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

async function faultyLog() {
  const faults = faultyMachine()
  const offline: string[] = []
  const log = await openLogOn(faults.machine, join(tempDir(), 'orders-0'), {
    onOffline: (error, where) => offline.push(`${error.code} ${where.log?.name}`),
  })
  return { faults, offline, log: closeLater(log) }
}

describe('a failed write', () => {
  test.each(['ENOSPC', 'EDQUOT'])('%s refuses that append alone', async (errno) => {
    const { faults, log, offline } = await faultyLog()
    log.append(numbered(1))
    faults.failAppend(1, errno)
    expect(() => log.append(numbered(1, 1))).toThrowError(
      expect.objectContaining({ code: 'ERR_DISK_FULL', errno }),
    )
    expect(log.state).toBe('open')
    expect(log.append(numbered(1, 2)).baseOffset).toBe(1n)
    expect(await values(log.read())).toEqual(['v0', 'v2'])
    expect(offline).toEqual([])
  })

  test('any other takes the log offline, and no marker is written', async () => {
    const { faults, log, offline } = await faultyLog()
    log.append(numbered(1))
    faults.failAppend(1, 'EIO')
    expect(() => log.append(numbered(1))).toThrowError(
      expect.objectContaining({ code: 'ERR_IO', errno: 'EIO' }),
    )
    expect(log.state).toBe('offline')
    expect(offline).toEqual(['ERR_IO orders-0'])
    for (const call of [() => log.append(numbered(1)), () => log.fetchSync(0), () => log.roll()]) {
      expect(call).toThrowError(expect.objectContaining({ code: 'ERR_OFFLINE' }))
    }
    await log.close()
    expect(existsSync(join(dirname(log.path), '.kafka_cleanshutdown'))).toBe(false)
  })
})

test('a log that went offline is recovered when it is opened again, while a neighbour holds the directory', async () => {
  const { faults, log } = await faultyLog()
  const neighbour = closeLater(await openLogOn(faults.machine, join(dirname(log.path), 'other-0')))
  faults.failAppend(1, 'EIO')
  expect(() => log.append(numbered(1))).toThrow()
  await log.close()
  const again = closeLater(await openLogOn(faults.machine, log.path))
  expect(again.recovery).toMatchObject({ wasClean: false })
  await again.close()
  await neighbour.close()
  expect(existsSync(join(dirname(log.path), '.kafka_cleanshutdown'))).toBe(true)
})

describe('a failed fsync is final', () => {
  test('who waits gets the error, the log is offline', async () => {
    const { faults, log, offline } = await faultyLog()
    faults.failFlushes('EIO')
    const appends = [log.append(numbered(1)), log.append(numbered(1, 1))]
    const outcome = await Promise.allSettled(appends.map(({ durable }) => durable()))
    expect(outcome).toEqual(
      appends.map(() => ({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'ERR_IO', syscall: 'fdatasync' }),
      })),
    )
    expect(log.offsets.durableOffset).toBe(0n)
    await expect(appends[0]?.durable()).rejects.toMatchObject({ code: 'ERR_OFFLINE' })
    expect(offline).toHaveLength(1)
  })

  test('also one that nobody awaited', async () => {
    const { faults, log, offline } = await faultyLog()
    faults.failFlushes('EIO')
    log.append(numbered(1))
    log.roll()
    await expect(log.flush()).rejects.toMatchObject({ code: 'ERR_IO' })
    expect(offline).toHaveLength(1)
  })

  test('close tells it, and still lets go of the directory', async () => {
    const { faults, log } = await faultyLog()
    log.append(numbered(1))
    faults.failFlushes('EIO')
    await expect(log.close()).rejects.toMatchObject({ code: 'ERR_IO' })
    expect(existsSync(join(dirname(log.path), '.kafka_cleanshutdown'))).toBe(false)
    expect(existsSync(join(dirname(log.path), '.lock'))).toBe(false)
    expect(existsSync(join(dirname(log.path), '.lock.pid'))).toBe(false)
  })
})
