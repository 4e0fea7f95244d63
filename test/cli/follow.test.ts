/** `plog read --follow` on a preallocated segment, whose length tells nothing; the pauses between looks are the test's. */
import { statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { followRecords } from '../../lib/cli/follow.js'
import { openLog, type PartitionLog } from '../../lib/index.js'
import { tempDir } from '../support/temp-dir.js'

interface Pauses {
  readonly began: (() => void)[]
  onBegin: () => void
}
const pauses = vi.hoisted((): Pauses => ({ began: [], onBegin: () => {} }))
vi.mock('node:timers/promises', () => ({
  setTimeout: (_ms: number, _value: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise<void>((resume, reject) => {
      signal.addEventListener('abort', reject)
      pauses.began.push(resume)
      pauses.onBegin()
    }),
}))

let log: PartitionLog
let file: string
let stop: AbortController
let records: ReturnType<typeof followRecords>

beforeEach(async () => {
  pauses.began.length = 0
  const path = join(tempDir(), 'orders-0')
  file = join(path, '00000000000000000000.log')
  log = await openLog(path, { config: { preallocate: true, segmentBytes: 1 << 20 } })
  log.append([{ value: 'one' }])
  stop = new AbortController()
  records = followRecords(path, {}, {}, stop.signal)
})

afterEach(async () => {
  stop.abort()
  await records.return(undefined)
  await log.close()
})

/** Resolves once the follower has come to its end and waits; going on is up to the caller. */
async function pausing(): Promise<() => void> {
  while (pauses.began.length === 0) await new Promise<void>((begun) => (pauses.onBegin = begun))
  return pauses.began.shift() as () => void
}

const value = async (next: Promise<IteratorResult<{ value: Buffer | null }, void>>) =>
  String(((await next).value as { value: Buffer | null }).value)

it('sees an append by the modification time', async () => {
  expect(await value(records.next())).toBe('one')
  const { size } = statSync(file)
  const next = records.next()
  for (let look = 0; look < 4; look++) {
    const resume = await pausing()
    resume()
  }
  const resume = await pausing()
  log.append([{ value: 'two' }])
  const later = new Date(Date.now() + 60_000)
  utimesSync(file, later, later)
  expect(statSync(file).size).toBe(size)
  resume()
  expect(await value(next)).toBe('two')
})

it('sees an append within the same tick of the clock', async () => {
  utimesSync(file, 1000, 1000)
  expect(await value(records.next())).toBe('one')
  const next = records.next()
  const resume = await pausing()
  log.append([{ value: 'two' }])
  utimesSync(file, 1000, 1000)
  resume()
  expect(await value(next)).toBe('two')
})
