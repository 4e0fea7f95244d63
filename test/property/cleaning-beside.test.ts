/**
 * A compacted log is cleaned on the cleaner's own thread while everything else
 * happens to it: whatever comes first, it holds what a model holds, and its
 * readers see each record at most once and miss none that stays.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeFiles } from '../../lib/backend/files.js'
import { systemClock } from '../../lib/base/clock.js'
import type { PartitionLog } from '../../lib/log/partition-log.js'
import { openLogOn } from '../../lib/manager/open-log.js'
import { COMPACTED, CompactedModel, type Found, recordsOf, unfinishedIn } from '../support/compacted-log.js'
import { collect } from '../support/log.js'
import { seededEntropy } from '../support/machine.js'
import { fcOptions } from '../support/random.js'
import { swiftBackend } from '../support/swift-backend.js'
import { memoryDir, removeDir } from '../support/temp-dir.js'
import { turns } from '../support/turns.js'

const CONFIG = { ...COMPACTED, internalSegmentBytes: 1_500, cleanupPolicy: ['compact', 'delete'] as const }

function machine() {
  return { clock: systemClock, entropy: seededEntropy(1), files: nodeFiles, backend: swiftBackend() }
}

type Step =
  | { readonly kind: 'append'; readonly keys: readonly number[] }
  | { readonly kind: 'truncate' | 'delete'; readonly part: number }
  | { readonly kind: 'roll' | 'retain' | 'compact off' | 'clean' | 'read' | 'beside' }
  | { readonly kind: 'wait'; readonly turns: number }

const append = fc.record({
  kind: fc.constant('append' as const),
  keys: fc.array(fc.nat(12), { minLength: 1, maxLength: 8 }),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: append },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom('truncate' as const, 'delete' as const),
      part: fc.double({ min: 0.3, max: 1, noNaN: true }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'roll' as const,
        'retain' as const,
        'compact off' as const,
        'clean' as const,
        'clean' as const,
        'read' as const,
        'beside' as const,
      ),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('wait' as const), turns: fc.nat(300) }) },
)

/** Drives one log, and waits for nothing that a cleaning could make wait. */
class Beside {
  readonly model = new CompactedModel()
  readonly #log: PartitionLog
  readonly #works: Promise<unknown>[] = []
  /** Offsets of records that a later one of their key has followed, though it may have been cut off since. */
  readonly #superseded = new Set<number>()
  /** Each change of the log, so that a read knows whether another came between. */
  #changes = 0
  cleaned = 0

  constructor(log: PartitionLog) {
    this.#log = log
  }

  async run(one: Step): Promise<void> {
    const log = this.#log
    switch (one.kind) {
      case 'append':
        this.#append(one.keys)
        return
      case 'roll':
        log.roll()
        return
      case 'clean':
        this.#works.push(this.#clean())
        return
      case 'truncate': {
        this.#changes++
        const offset = Math.floor(one.part * this.model.appended.length)
        await log.truncateTo(offset)
        this.#cut(offset)
        return
      }
      case 'delete':
        this.#changes++
        await log.deleteRecordsBefore(Math.floor(one.part * Number(log.offsets.logEndOffset)))
        return
      case 'retain':
        this.#changes++
        await log.runRetention()
        return
      case 'compact off':
        await log.updateConfig({ cleanupPolicy: ['delete'] })
        await log.updateConfig({ cleanupPolicy: ['compact', 'delete'] })
        return
      case 'read':
        this.#works.push(this.#read())
        return
      case 'beside':
        this.#works.push(this.#readBeside())
        return
      default:
        await turns(one.turns)
    }
  }

  /** Nothing runs any more; a failure of any of it is thrown. */
  async ended(): Promise<void> {
    await Promise.all(this.#works)
  }

  async #clean(): Promise<void> {
    try {
      if ((await this.#log.clean()) !== null) this.cleaned++
    } catch (error) {
      // Cut, changed or closed meanwhile; or asked for while it is being cut.
      expect((error as { code?: string }).code).toMatch(/^ERR_(CLOSED|OFFSET_CONFLICT)$/)
    }
  }

  #append(keys: readonly number[]): void {
    this.#changes++
    for (const [n, key] of keys.entries()) {
      this.model.appended.forEach(([other], offset) => {
        if (other === `k${key}`) this.#superseded.add(offset)
      })
      this.model.append(this.#log, [`k${key}`, `${this.#changes}.${n}`])
    }
  }

  #cut(offset: number): void {
    this.model.appended.length = Math.min(this.model.appended.length, offset)
    for (const one of this.#superseded) if (one >= offset) this.#superseded.delete(one)
  }

  async #read(): Promise<void> {
    const before = this.#changes
    const found = await collect(this.#log.read({ maxBytes: 200, onOutOfRange: 'earliest' })).catch(
      (error) => {
        // Cut off under it.
        expect([error.code, this.#changes > before]).toEqual(['ERR_OFFSET_OUT_OF_RANGE', true])
        return []
      },
    )
    if (this.#changes === before) this.expectRead(found)
    else expectRising(found)
  }

  async #readBeside(): Promise<void> {
    const before = this.#changes
    const reader = await openLogOn(machine(), this.#log.path, { readOnly: true })
    try {
      const found = await collect(reader.read({ maxBytes: 200, onOutOfRange: 'earliest' }))
      if (this.#changes === before) this.expectRead(found)
    } finally {
      await reader.close()
    }
  }

  /** All of it is as it was appended, and what no later record has followed is there. */
  expectRead(found: readonly Found[]): void {
    expectRising(found)
    const there = new Set(found.map(({ offset }) => Number(offset)))
    const start = Number(this.#log.offsets.logStartOffset)
    const lost = this.model.appended.flatMap((_, offset) =>
      offset < start || there.has(offset) || this.#superseded.has(offset) ? [] : [offset],
    )
    expect(lost).toEqual([])
    for (const { offset, key, value } of found)
      expect([String(key), String(value)]).toEqual(this.model.appended[Number(offset)])
  }
}

function expectRising(found: readonly Found[]): void {
  const offsets = found.map(({ offset }) => offset)
  expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => (a < b ? -1 : 1)))
}

let cleanings = 0

test('a log that is cleaned while it is used holds what its model holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), async (steps) => {
      const directory = memoryDir()
      const path = join(directory, 'orders-0')
      const log = await openLogOn(machine(), path, { config: CONFIG })
      const beside = new Beside(log)
      try {
        for (let n = 0; n < 4; n++) {
          await beside.run({ kind: 'append', keys: [0, 1, 2, n + 3, n + 4, 0] })
          await beside.run({ kind: 'roll' })
        }
        for (const one of steps) await beside.run(one)
        await beside.ended()
        beside.expectRead(await recordsOf(log))
        expect(unfinishedIn(path)).toEqual([])
        expect(log.state).toBe('open')
      } finally {
        await log.close()
      }
      cleanings += beside.cleaned
      const again = await openLogOn(machine(), path)
      beside.expectRead(await recordsOf(again))
      await again.close()
      removeDir(directory)
    }),
    fcOptions(30),
  )
  console.log(`${cleanings} cleanings ended`)
  expect(cleanings).toBeGreaterThan(0)
}, 120_000)

test('followers see every record that stays, once, while the log is cleaned', async () => {
  const path = join(memoryDir(), 'orders-0')
  const log = await openLogOn(machine(), path, { config: { ...CONFIG, cleanupPolicy: ['compact'] } })
  const reader = await openLogOn(machine(), path, { readOnly: true })
  const model = new CompactedModel()
  const END = 600
  const followed = [log, reader].map(async (one) => {
    const seen: Found[] = []
    for await (const record of one.read({ follow: true, pollMs: 1 })) {
      seen.push(record)
      if (Number(record.offset) === END - 1) return seen
    }
    return seen
  })
  let cleaning: Promise<unknown> = Promise.resolve()
  while (model.appended.length < END) {
    for (let n = 0; n < 20; n++) {
      const serial = model.appended.length
      model.append(log, [`k${serial % 17}`, `v${serial}`])
    }
    log.roll()
    const fetched = await log.fetch(0)
    expect(fetched.batches.length).toBeGreaterThan(0)
    cleaning = cleaning.then(() => log.clean())
    await turns(20)
  }
  await cleaning
  for (const seen of await Promise.all(followed)) model.expectIn(seen)
  await reader.close()
  await log.close()
}, 60_000)
