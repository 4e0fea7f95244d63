/** The parts of a directory's lock that need a kernel lock to order, or a holder that died in some way. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type KernelLockPrimitive, lockDirectory } from '../../lib/backend/directory-lock.js'
import { startChild } from '../support/child.js'
import { errorFrom } from '../support/errors.js'
import { tempDir } from '../support/temp-dir.js'

/** A kernel with one process, which notes in which order things happen. */
function fakeKernel(): KernelLockPrimitive & { held: Set<string>; fileWasThere: boolean[] } {
  const held = new Set<string>()
  const fileWasThere: boolean[] = []
  return {
    held,
    fileWasThere,
    tryLock(path) {
      if (held.has(path)) return 'held'
      held.add(path)
      writeFileSync(path, `${process.pid}`)
      return {
        release() {
          fileWasThere.push(existsSync(path))
          held.delete(path)
        },
      }
    },
  }
}

/** The name of a process that has ended. */
async function deadPid(): Promise<number> {
  const child = startChild('')
  await child.exited
  return child.process.pid ?? expect.fail('no pid')
}

describe('directory lock by the kernel', () => {
  test('a lock that the kernel refuses is ERR_LOCKED', () => {
    const directory = tempDir()
    const kernel = fakeKernel()
    const lock = lockDirectory(directory, kernel)
    expect(errorFrom(() => lockDirectory(directory, kernel))).toMatchObject({
      code: 'ERR_LOCKED',
      path: lock.path,
    })
    lock.release()
    lockDirectory(directory, kernel).release()
  })

  test('`.lock` is removed while it is still locked, so never the next holder’s', () => {
    const directory = tempDir()
    const kernel = fakeKernel()
    lockDirectory(directory, kernel).release()
    expect(kernel.fileWasThere).toEqual([false])
    expect(readdirSync(directory)).toEqual([])
  })

  test('a portable holder is seen, and the kernel lock let go again', () => {
    const directory = tempDir()
    const kernel = fakeKernel()
    const portable = lockDirectory(directory)
    expect(errorFrom(() => lockDirectory(directory, kernel))).toMatchObject({
      code: 'ERR_LOCKED',
      pid: process.pid,
    })
    expect(kernel.held.size).toBe(0)
    portable.release()
    lockDirectory(directory, kernel).release()
  })

  test('a portable holder that died is none', async () => {
    const directory = tempDir()
    writeFileSync(join(directory, '.lock.pid'), `${await deadPid()} 5\n`)
    lockDirectory(directory, fakeKernel()).release()
  })
})

describe('directory lock by pid file', () => {
  test('names this process and when it started', () => {
    const directory = tempDir()
    const lock = lockDirectory(directory)
    const [pid, startTime] = readFileSync(join(directory, '.lock.pid'), 'utf8').trim().split(' ')
    expect(Number(pid)).toBe(process.pid)
    expect(Number(startTime)).toBeGreaterThan(process.platform === 'linux' ? 0 : -1)
    lock.release()
  })

  test.each([
    ['is empty, as after a power cut', ''],
    ['is all zeros', '\0\0\0\0\0\0'],
    ['names no process', 'hello 1'],
    ['names process 0, which would be this process’s group', '0 0'],
    ['names a process that cannot be', '4294967295 1'],
  ])('is taken over where the file %s', (_, content) => {
    const directory = tempDir()
    writeFileSync(join(directory, '.lock.pid'), content)
    const lock = lockDirectory(directory)
    expect(readFileSync(join(directory, '.lock.pid'), 'utf8')).toContain(`${process.pid} `)
    expect(readdirSync(directory).sort()).toEqual(['.lock', '.lock.pid'])
    lock.release()
  })

  test.skipIf(process.platform !== 'linux')('is taken over from an earlier process of the same id', () => {
    const directory = tempDir()
    writeFileSync(join(directory, '.lock.pid'), `${process.pid} 1`)
    lockDirectory(directory).release()
  })

  test('is held by a live process whose start time is not known', () => {
    const directory = tempDir()
    writeFileSync(join(directory, '.lock.pid'), `${process.pid} 0`)
    expect(errorFrom(() => lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED', pid: process.pid })
  })

  test('while another takes over from the dead holder, it is held by that one', async () => {
    const directory = tempDir()
    const stale = `${await deadPid()} 7`
    writeFileSync(join(directory, '.lock.pid'), stale)
    writeFileSync(join(directory, `.lock.pid.${stale.replace(' ', '-')}`), `${process.pid} 0`)
    expect(errorFrom(() => lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED', pid: process.pid })
    expect(readFileSync(join(directory, '.lock.pid'), 'utf8')).toBe(stale)
  })

  test('is taken over also where another died while taking it over', async () => {
    const directory = tempDir()
    const stale = `${await deadPid()} 7`
    writeFileSync(join(directory, '.lock.pid'), stale)
    writeFileSync(join(directory, `.lock.pid.${stale.replace(' ', '-')}`), `${await deadPid()} 8`)
    lockDirectory(directory).release()
    expect(readdirSync(directory)).toEqual([])
  })

  test('the error says what to do', () => {
    const directory = tempDir()
    const lock = lockDirectory(directory)
    const { message } = errorFrom(() => lockDirectory(directory))
    expect(message).toBe(
      `${join(directory, '.lock.pid')} is held by this process: close the log there, or open with readOnly`,
    )
    lock.release()
  })
})
