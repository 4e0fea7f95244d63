/** The lock of a log directory: one holder, whoever asks. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import { startChild } from '../support/child.js'
import { errorFrom } from '../support/errors.js'
import { tempDir } from '../support/temp-dir.js'

export function describeDirectoryLock(makeBackend: () => Backend): void {
  const backend = makeBackend()

  /** A process that holds the lock of `directory` until its input ends. */
  async function otherHolder(directory: string) {
    const child = startChild(`
      const lock = backend.lockDirectory(${JSON.stringify(directory)})
      process.stdin.once('end', () => lock.release()).resume()
      say('held')`)
    expect(await child.nextLine()).toBe('held')
    return child
  }

  describe('directory lock', () => {
    test('makes `.lock`, and release removes what it made', () => {
      const directory = tempDir()
      const lock = backend.lockDirectory(directory)
      expect(lock.path).toBe(join(directory, '.lock'))
      expect(existsSync(lock.path)).toBe(true)
      lock.release()
      lock.release()
      expect(readdirSync(directory)).toEqual([])
    })

    test('excludes a second holder in this process, naming it, until released', () => {
      const directory = tempDir()
      const lock = backend.lockDirectory(directory)
      const error = errorFrom(() => backend.lockDirectory(directory))
      expect(error).toMatchObject({ code: 'ERR_LOCKED', name: 'LockedError', pid: process.pid })
      expect(error.message).toContain(directory)
      lock.release()
      backend.lockDirectory(directory).release()
    })

    test('a second release does not let go of the next holder’s lock', () => {
      const directory = tempDir()
      const first = backend.lockDirectory(directory)
      first.release()
      const second = backend.lockDirectory(directory)
      first.release()
      expect(errorFrom(() => backend.lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED' })
      second.release()
    })

    test('excludes another process, naming it, until that ends', async () => {
      const directory = tempDir()
      const child = await otherHolder(directory)
      const error = errorFrom(() => backend.lockDirectory(directory))
      expect(error).toMatchObject({ code: 'ERR_LOCKED', pid: child.process.pid })
      child.process.stdin?.end()
      expect(await child.exited).toBe(0)
      backend.lockDirectory(directory).release()
    })

    test('is taken over from a process that was killed', async () => {
      const directory = tempDir()
      const child = await otherHolder(directory)
      child.process.kill('SIGKILL')
      await child.exited
      expect(readdirSync(directory)).not.toEqual([])
      const lock = backend.lockDirectory(directory)
      expect(errorFrom(() => backend.lockDirectory(directory))).toMatchObject({ pid: process.pid })
      lock.release()
    })

    test.skipIf(backend.name === 'portable' && process.platform === 'win32')(
      'is taken over from a thread of this process that was terminated',
      async () => {
        const directory = tempDir()
        for (const end of ['terminate', 'exit'] as const) {
          const worker = await threadHolding(directory, backend.name)
          expect(errorFrom(() => backend.lockDirectory(directory))).toMatchObject({
            code: 'ERR_LOCKED',
            pid: process.pid,
          })
          if (end === 'terminate') await worker.terminate()
          else await exited(worker)
          const lock = backend.lockDirectory(directory)
          expect(errorFrom(() => backend.lockDirectory(directory))).toMatchObject({ code: 'ERR_LOCKED' })
          lock.release()
          expect(readdirSync(directory)).toEqual([])
        }
      },
    )

    test('of many threads at once, one gets it from a terminated one, and each release lets the next in', async () => {
      const directory = tempDir()
      await (await threadHolding(directory, backend.name)).terminate()
      const counts = await Promise.all(
        Array.from({ length: 4 }, () => countHoldings(directory, backend.name)),
      )
      for (const { held, overlaps } of counts)
        expect({ held: held > 0, overlaps }).toEqual({ held: true, overlaps: 0 })
      backend.lockDirectory(directory).release()
    })

    test('a `.lock` that a broker left behind is no lock', () => {
      const directory = tempDir()
      writeFileSync(join(directory, '.lock'), '')
      backend.lockDirectory(directory).release()
    })

    test('of many processes at once, one gets it', async () => {
      const directory = tempDir()
      const dead = startChild('')
      await dead.exited
      writeFileSync(join(directory, '.lock.pid'), `${dead.process.pid} 1\n`)
      const code = `process.stdin.once('data', () => {
          try { backend.lockDirectory(${JSON.stringify(directory)}); say('held') } catch (e) { say(e.code) }
        }).once('end', () => process.exit())
        say('ready')`
      const children = Array.from({ length: 6 }, () => startChild(code))
      await Promise.all(children.map((child) => child.nextLine()))
      for (const child of children) child.process.stdin?.write('go')
      const answers = await Promise.all(children.map((child) => child.nextLine()))
      expect(answers.sort()).toEqual([...Array.from({ length: 5 }, () => 'ERR_LOCKED'), 'held'])
      for (const child of children) child.process.stdin?.end()
      await Promise.all(children.map((child) => child.exited))
      backend.lockDirectory(directory).release()
    })

    test('a missing directory is an I/O error', () => {
      const error = errorFrom(() => backend.lockDirectory(join(tempDir(), 'missing')))
      expect(error).toMatchObject({ code: 'ERR_IO', syscall: 'open', errno: 'ENOENT' })
    })

    test.skipIf(!canActAsBroker())('a broker’s lock is seen, with its process', async () => {
      const directory = tempDir()
      const path = join(directory, '.lock')
      const broker = await brokerHolding(path)
      const error = errorFrom(() => backend.lockDirectory(directory))
      expect(error).toMatchObject({ code: 'ERR_LOCKED', pid: broker.pid })
      broker.stdin?.end()
      await new Promise((resolve) => broker.once('close', resolve))
      expect(readdirSync(directory)).toEqual(['.lock'])
      backend.lockDirectory(directory).release()
    })
  })
}

const loadUrl = pathToFileURL(resolve(import.meta.dirname, '../../dist/backend/load.js')).href

/** A thread of this process; `backend`, `directory` and `parentPort` are there for `code`. */
function thread(directory: string, backendName: string, code: string): Worker {
  const module = `
    import { parentPort } from 'node:worker_threads'
    import { loadBackend } from ${JSON.stringify(loadUrl)}
    import fs from 'node:fs'
    const { backend } = loadBackend(${JSON.stringify(backendName)})
    const directory = ${JSON.stringify(directory)}
    ${code}`
  return new Worker(new URL(`data:text/javascript,${encodeURIComponent(module)}`), { execArgv: [] })
}

/** A thread that holds the lock of `directory` until it is terminated, or told to exit. */
async function threadHolding(directory: string, backendName: string): Promise<Worker> {
  const worker = thread(
    directory,
    backendName,
    `backend.lockDirectory(directory)
     parentPort.on('message', () => process.exit())
     parentPort.postMessage('held')`,
  )
  await once(worker, 'message')
  return worker
}

async function exited(worker: Worker): Promise<void> {
  worker.postMessage('exit')
  await once(worker, 'exit')
}

/** A thread that takes the lock 50 times, and looks each time whether it is alone. */
async function countHoldings(
  directory: string,
  backendName: string,
): Promise<{ held: number; overlaps: number }> {
  const worker = thread(
    directory,
    backendName,
    `const mark = directory + '/alone'
     let [held, overlaps] = [0, 0]
     for (let tries = 0; held < 50 && tries < 1e6; tries++) {
       let lock
       try {
         lock = backend.lockDirectory(directory)
       } catch (error) {
         if (error.code === 'ERR_LOCKED') continue
         throw error
       }
       held++
       try {
         fs.closeSync(fs.openSync(mark, 'wx'))
         fs.unlinkSync(mark)
       } catch (error) {
         if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
         overlaps++
       }
       lock.release()
     }
     parentPort.postMessage({ held, overlaps })`,
  )
  const [counts] = (await once(worker, 'message')) as [{ held: number; overlaps: number }]
  await worker.terminate()
  return counts
}

/** Java's file lock is `lockf`, for which Node has no call; Python does the same here. */
function canActAsBroker(): boolean {
  const can = process.platform === 'linux' && spawnSync('python3', ['-c', 'import fcntl']).status === 0
  if (!can) console.warn('a broker holding the lock is not tested: that needs Linux and python3')
  return can
}

/** A process that holds `path` as a broker does, until its input ends. */
async function brokerHolding(path: string): Promise<ChildProcess> {
  const code =
    'import fcntl, sys; f = open(sys.argv[1], "w"); fcntl.lockf(f, fcntl.LOCK_EX); print("held", flush=True); sys.stdin.read()'
  const broker = spawn('python3', ['-c', code, path], { stdio: ['pipe', 'pipe', 'inherit'] })
  await new Promise((resolve, reject) => {
    broker.once('error', reject)
    broker.stdout.once('data', resolve)
  })
  return broker
}
