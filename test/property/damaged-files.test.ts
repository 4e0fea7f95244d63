/** Files with damage at random places: a log gives what is right, or says what is wrong; it never makes things up. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PartitionLogError } from '../../lib/errors.js'
import { recordBatches } from '../../lib/format/batches.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { START_MS, testMachine } from '../support/machine.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { recordLine } from './log-operations.js'

const FIRST = '00000000000000000000'
const BATCHES = 20

/** Two segments; the first has an entry for every batch. */
async function writtenLog() {
  const path = join(tempDir(), 'log-0')
  const log = await openLogOn(testMachine(), path, { config: { indexIntervalBytes: 0 } })
  for (let n = 0; n < BATCHES; n++) {
    const times = [START_MS + n * 10, START_MS + n * 10 + 5]
    log.append(times.map((timestamp, i) => ({ key: `k${n}`, value: `${n}-${i}`, timestamp })))
  }
  log.roll()
  log.append([{ value: 'last', timestamp: START_MS + 1000 }])
  const lines = new Map<bigint, string>()
  for await (const record of log.read()) lines.set(record.offset, recordLine(record))
  await log.close()
  return { path, lines }
}

const damage = fc.record({
  file: fc.constantFrom('index', 'timeindex', 'log'),
  changes: fc.array(fc.record({ at: fc.nat(), to: fc.nat(255) }), { minLength: 1, maxLength: 6 }),
  cut: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(40) }),
})

it('known fault 31: reads are right or name the damage', { timeout: 60_000 }, async () => {
  const { path, lines } = await writtenLog()
  const sound = Object.fromEntries(
    ['log', 'index', 'timeindex'].map((kind) => [kind, readFileSync(join(path, `${FIRST}.${kind}`))]),
  )
  const offsetBytes = baseOffsetBytes(sound.log as Buffer)
  await fc.assert(
    fc.asyncProperty(damage, fc.boolean(), async ({ file, changes, cut }, readOnly) => {
      for (const [kind, bytes] of Object.entries(sound)) writeFileSync(join(path, `${FIRST}.${kind}`), bytes)
      const damaged = Buffer.from(sound[file] as Buffer)
      for (const { at, to } of changes) {
        const position = at % damaged.length
        if (file !== 'log' || !offsetBytes.has(position)) damaged[position] = to
      }
      writeFileSync(join(path, `${FIRST}.${file}`), damaged.subarray(0, damaged.length - cut))
      const log = await openLogOn(testMachine(), path, { readOnly })
      try {
        for (let from = 0n; from <= BigInt(BATCHES * 2); from += 3n) {
          let next = from
          await oursOnly(path, async () => {
            for await (const record of log.read({ from, maxRecords: 5 })) {
              expect(recordLine(record)).toBe(lines.get(record.offset))
              expect(record.offset).toBe(next)
              next++
            }
          })
          await oursOnly(path, async () => log.locate(from))
        }
        for (let ms = 0; ms < BATCHES * 10; ms += 7) {
          await oursOnly(path, async () => log.offsetForTimestamp(START_MS + ms))
        }
      } finally {
        await log.close()
      }
    }),
    fcOptions(25),
  )
})

/** Where base offsets lie: no checksum covers them, so that a broker can set them. */
function baseOffsetBytes(log: Buffer): Set<number> {
  const positions = new Set<number>()
  let start = 0
  for (const { sizeInBytes } of recordBatches(log)) {
    for (let byte = 0; byte < 8; byte++) positions.add(start + byte)
    start += sizeInBytes
  }
  return positions
}

async function oursOnly(path: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof PartitionLogError)) throw error
    expect(error.code).toMatch(/^ERR_(CORRUPT|UNSUPPORTED)$/)
    if (error.code === 'ERR_CORRUPT') expect(error.path?.startsWith(path)).toBe(true)
  }
}
