/**
 * Whatever a writer does between two looks: a log that looks again is as one
 * that is opened anew, and a follower has read each record that stays once.
 */
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import type { LogProducer } from '../../../lib/log/transaction-producer.js'
import { openLog } from '../../../lib/manager/open-log.js'
import { collect } from '../../support/log.js'
import { fcOptions } from '../../support/random.js'
import { memoryDir, removeDir } from '../../support/temp-dir.js'

const CONFIG = {
  internalSegmentBytes: 600,
  indexIntervalBytes: 0,
  retentionBytes: 1_500,
  retentionMs: -1,
  fileDeleteDelayMs: 0,
} as const

type Step =
  | { readonly kind: 'append'; readonly batches: number; readonly epochsOn: number }
  | { readonly kind: 'begin' | 'commit' | 'abort'; readonly who: number }
  | { readonly kind: 'truncate' | 'deleteBefore'; readonly perMille: number }
  | { readonly kind: 'roll' | 'retain' | 'flush' | 'reopen' | 'look' | 'read' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      batches: fc.integer({ min: 1, max: 9 }),
      epochsOn: fc.integer({ min: 0, max: 1 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('begin' as const, 'commit' as const, 'abort' as const),
      who: fc.nat(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('truncate' as const, 'deleteBefore' as const),
      perMille: fc.nat(1000),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'roll' as const,
        'retain' as const,
        'flush' as const,
        'reopen' as const,
        'look' as const,
        'read' as const,
      ),
    }),
  },
)

class Writer {
  log!: PartitionLog
  #next = 0
  #epoch = 0
  #producers = new Map<number, LogProducer>()
  /** Of transactions that have ended: where they began, and their marker. */
  #ended: { readonly firstOffset: bigint; readonly marker: bigint }[] = []

  async open(path: string): Promise<void> {
    this.log = await openLog(path, { config: CONFIG })
    this.#producers.clear()
  }

  async run(step: Step, path: string): Promise<void> {
    const { logStartOffset, logEndOffset } = this.log.offsets
    switch (step.kind) {
      case 'append':
        this.#epoch += step.epochsOn
        for (let n = 0; n < step.batches; n++) this.log.append([this.#record()], { leaderEpoch: this.#epoch })
        return
      case 'begin':
        return this.#begin(step.who)
      case 'commit':
      case 'abort':
        return this.#end(step.who, step.kind)
      case 'truncate':
      case 'deleteBefore': {
        const offset = logStartOffset + ((logEndOffset - logStartOffset) * BigInt(step.perMille)) / 1000n
        if (step.kind === 'truncate' && this.#wouldForget(offset)) return
        if (step.kind === 'deleteBefore') await this.log.deleteRecordsBefore(offset)
        else await this.log.truncateTo(offset)
        this.#producers.clear()
        return
      }
      case 'roll':
        return void this.log.roll()
      case 'retain':
        return void (await this.log.runRetention())
      case 'flush':
        return this.log.flush()
      case 'reopen':
        await this.log.close()
        return this.open(path)
    }
  }

  #begin(who: number): void {
    if (this.#producers.has(who)) return
    if (this.log.openTransactions().some(({ producerId }) => producerId === BigInt(who))) return
    const producer = this.log.producer({ id: who })
    producer.begin()
    producer.append([this.#record()])
    this.#producers.set(who, producer)
  }

  #end(who: number, how: 'commit' | 'abort'): void {
    const open = this.log.openTransactions().find(({ producerId }) => producerId === BigInt(who))
    const marker = this.log.offsets.logEndOffset
    const producer = this.#producers.get(who)
    this.#producers.delete(who)
    if (producer === undefined) return
    producer[how]()
    if (open !== undefined) this.#ended.push({ firstOffset: open.firstOffset, marker })
  }

  /** A writer that cuts its log at `offset` forgets a transaction from below the start that is open then, which others cannot know. */
  #wouldForget(offset: bigint): boolean {
    const { logStartOffset } = this.log.offsets
    const open = this.log.openTransactions().some(({ firstOffset }) => firstOffset < logStartOffset)
    return (
      open || this.#ended.some(({ firstOffset, marker }) => firstOffset < logStartOffset && marker >= offset)
    )
  }

  #record() {
    const n = this.#next++
    return { key: `k${n}`, value: `v${n}`, timestamp: 1_000 + n }
  }
}

async function shown(log: PartitionLog) {
  const lines = async (isolation: 'committed' | 'uncommitted') =>
    (await collect(log.read({ isolation }))).map(({ offset, value }) => `${offset}:${value}`)
  return {
    log: {
      offsets: { ...log.offsets, lastStableOffset: undefined },
      segments: log.segments,
      epochs: log.leaderEpochs,
      all: await lines('uncommitted'),
    },
    transactions: {
      lastStableOffset: log.offsets.lastStableOffset,
      open: log.openTransactions(),
      committed: await lines('committed'),
    },
  }
}

/** Between two looks the records may be gone; nothing else may stop a reader, and none comes twice. */
async function readAll(log: PartitionLog): Promise<void> {
  let last = -1n
  try {
    for await (const { offset } of log.read({ maxBytes: 100 })) {
      expect(offset).toBeGreaterThan(last)
      last = offset
    }
  } catch (error) {
    expect(error).toMatchObject({ code: 'ERR_OFFSET_OUT_OF_RANGE' })
  }
}

test('a log that looks again is as one that is opened anew', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const directory = memoryDir()
      const path = join(directory, 'orders-0')
      const writer = new Writer()
      await writer.open(path)
      const reader = await openLog(path, { readOnly: true })
      try {
        for (const step of [...steps, { kind: 'look' } as const]) {
          if (step.kind === 'read') await readAll(reader as PartitionLog)
          else if (step.kind !== 'look') await writer.run(step, path)
          else {
            await writer.log.flush()
            await reader.refresh()
            const fresh = await openLog(path, { readOnly: true })
            try {
              const [read, opened, written] = [
                await shown(reader as PartitionLog),
                await shown(fresh as PartitionLog),
                await shown(writer.log),
              ]
              expect(read.log).toEqual(opened.log)
              // Who has been there all the time also knows transactions from below the log's start.
              expect([written.transactions, opened.transactions]).toContainEqual(read.transactions)
            } finally {
              await fresh.close()
            }
          }
        }
      } finally {
        await reader.close()
        await writer.log.close()
        removeDir(directory)
      }
    }),
    fcOptions(60),
  )
})
