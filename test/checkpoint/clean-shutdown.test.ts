/** Whether a log counts as closed cleanly, where several share a log directory. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ioError } from '../../lib/errors.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { backendUnderTest } from '../support/backend.js'
import { codeOf } from '../support/errors.js'
import { START_MS, testMachine } from '../support/machine.js'
import { tempDir } from '../support/temp-dir.js'

const MARKER = '.kafka_cleanshutdown'
const record = [{ value: 'v', timestamp: START_MS }]

async function closedLog(path: string): Promise<void> {
  const log = await openLogOn(testMachine(), path)
  log.append(record)
  await log.close()
}

it('known fault 40: an unclean directory stays unclean until every log of it was recovered and closed', async () => {
  const directory = tempDir()
  const [a, b] = [join(directory, 'a-0'), join(directory, 'b-0')]
  await closedLog(a)
  await closedLog(b)
  rmSync(join(directory, MARKER))
  await closedLog(a)
  await closedLog(join(directory, 'new-0'))
  expect(existsSync(join(directory, MARKER))).toBe(false)
  const logs = []
  for (const path of [a, b, join(directory, 'new-0')]) logs.push(await openLogOn(testMachine(), path))
  expect(logs.map(({ recovery }) => recovery?.wasClean)).toEqual([false, false, false])
  for (const log of logs) await log.close()
  expect(existsSync(join(directory, MARKER))).toBe(true)
})

it('a log that went offline is recovered by the next open, also while another one holds the directory', async () => {
  const directory = tempDir()
  const path = join(directory, 'broken-0')
  await closedLog(path)
  const other = await openLogOn(testMachine(), join(directory, 'other-0'))
  const broken = await openLogOn(testMachine({ backend: failingWrites() }), path)
  expect(await codeOf(() => broken.append(record))).toBe('ERR_IO')
  expect(broken.state).toBe('offline')
  await broken.close()
  const again = await openLogOn(testMachine(), path)
  expect(again.recovery).toMatchObject({ wasClean: false })
  await again.close()
  await other.close()
  expect(existsSync(join(directory, MARKER))).toBe(true)
})

it('the marker goes when the first log opens and comes back when the last is closed', async () => {
  const directory = tempDir()
  const [a, b] = [join(directory, 'a-0'), join(directory, 'b-0')]
  await closedLog(a)
  expect(existsSync(join(directory, MARKER))).toBe(true)
  const [first, second] = await Promise.all([openLogOn(testMachine(), a), openLogOn(testMachine(), b)])
  expect(existsSync(join(directory, MARKER))).toBe(false)
  await first.close()
  expect(existsSync(join(directory, MARKER))).toBe(false)
  await second.close()
  expect(existsSync(join(directory, MARKER))).toBe(true)
  expect(existsSync(join(directory, '.lock'))).toBe(false)
})

it('one log cannot be open twice, and can be opened again at once when it is closed', async () => {
  const path = join(tempDir(), 'a-0')
  const log = await openLogOn(testMachine(), path)
  expect(await codeOf(() => openLogOn(testMachine(), path))).toBe('ERR_LOCKED')
  const closing = log.close()
  await closing
  const again = await openLogOn(testMachine(), path)
  await again.close()
})

function failingWrites() {
  const inner = backendUnderTest()
  const failing = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(file, name) {
        if (name === 'append') {
          return () => {
            throw ioError('write', 'EIO', String(Reflect.get(file, 'path')))
          }
        }
        const value = Reflect.get(file, name)
        return typeof value === 'function' ? value.bind(file) : value
      },
    })
  return new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      if (name !== 'openLogFile') return value.bind(target)
      return (...args: unknown[]) => failing(value.apply(target, args))
    },
  })
}
