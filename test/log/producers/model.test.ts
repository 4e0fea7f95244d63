/**
 * Random producers, cuts, rolls and starts against a slow model: the log as a
 * list of what was appended, from which everything is worked out anew.
 */

import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PartitionLog } from '../../../lib/log/partition-log.js'
import { openLogOn } from '../../../lib/manager/open-log.js'
import { values } from '../../support/log.js'
import { testMachine } from '../../support/machine.js'
import { fcOptions } from '../../support/random.js'
import { removeDir, tempDir } from '../../support/temp-dir.js'

type Step =
  | { readonly kind: 'append'; readonly who: number; readonly transactional: boolean; readonly count: number }
  | { readonly kind: 'end'; readonly who: number; readonly commit: boolean; readonly raise: boolean }
  | { readonly kind: 'plain' | 'roll' | 'reopen' | 'repeat' }
  | { readonly kind: 'truncate'; readonly perMille: number }

interface Entry {
  readonly offset: bigint
  readonly count: number
  /** Null: a batch of no producer. */
  readonly who: number | null
  readonly epoch: number
  readonly sequence: number
  readonly kind: 'plain' | 'transactional' | 'commit' | 'abort'
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      who: fc.nat(2),
      transactional: fc.boolean(),
      count: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('end' as const),
      who: fc.nat(2),
      commit: fc.boolean(),
      raise: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Step>(
      { kind: 'plain' },
      { kind: 'roll' },
      { kind: 'reopen' },
      { kind: 'repeat' },
    ),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('truncate' as const), perMille: fc.nat(1000) }) },
)

class Model {
  entries: Entry[] = []

  get end(): bigint {
    const last = this.entries.at(-1)
    return last === undefined ? 0n : last.offset + BigInt(last.count)
  }

  of(who: number): Entry[] {
    return this.entries.filter((entry) => entry.who === who)
  }

  /** Epoch and next sequence. */
  next(who: number): { epoch: number; sequence: number } {
    const last = this.of(who).at(-1)
    const epoch = last?.epoch ?? 0
    const data = this.of(who).findLast((entry) => entry.epoch === epoch && isData(entry))
    return { epoch, sequence: data === undefined ? 0 : data.sequence + data.count }
  }

  /** First offset of the transaction that is open. */
  open(who: number): bigint | undefined {
    const mine = this.of(who)
    const ended = mine.findLastIndex((entry) => !isData(entry))
    return mine.slice(ended + 1).find(({ kind }) => kind === 'transactional')?.offset
  }

  get stable(): bigint {
    const open = [0, 1, 2].flatMap((who) => this.open(who) ?? [])
    return open.reduce((least, offset) => (offset < least ? offset : least), this.end)
  }

  get committed(): string[] {
    return this.entries.filter((entry) => this.#isCommitted(entry)).flatMap(textsOf)
  }

  #isCommitted(entry: Entry): boolean {
    if (!isData(entry) || entry.offset >= this.stable) return false
    if (entry.kind === 'plain') return true
    return (
      this.of(entry.who as number).find((other) => other.offset > entry.offset && !isData(other))?.kind ===
      'commit'
    )
  }
}

function isData({ kind }: Entry): boolean {
  return kind === 'plain' || kind === 'transactional'
}

function textsOf({ offset, count }: Entry): string[] {
  return Array.from({ length: count }, (_, n) => `v${offset + BigInt(n)}`)
}

class Play {
  readonly model = new Model()
  readonly machine = testMachine()
  readonly path = join(tempDir(), 'orders-0')
  log!: PartitionLog

  async open(): Promise<void> {
    this.log = await openLogOn(this.machine, this.path, { config: { internalSegmentBytes: 700 } })
  }

  async take(step: Step): Promise<void> {
    const { model } = this
    switch (step.kind) {
      case 'append': {
        const isOpen = model.open(step.who) !== undefined
        const kind = step.transactional || isOpen ? 'transactional' : 'plain'
        return this.append({ who: step.who, count: step.count, kind, ...model.next(step.who) })
      }
      case 'plain':
        return this.append({ who: null, count: 1, kind: 'plain', epoch: -1, sequence: -1 })
      case 'end': {
        const { epoch } = model.next(step.who)
        const raised = step.raise ? epoch + 1 : epoch
        const offset = model.end
        this.log.endTransaction({ producerId: step.who, producerEpoch: raised, commit: step.commit })
        const kind = step.commit ? 'commit' : 'abort'
        model.entries.push({ offset, count: 1, who: step.who, epoch: raised, sequence: -1, kind })
        return
      }
      case 'repeat':
        return this.repeat()
      case 'roll':
        this.log.roll()
        return
      case 'truncate': {
        const { entries } = model
        const cut = Math.floor((entries.length * step.perMille) / 1000)
        await this.log.truncateTo(entries[cut]?.offset ?? model.end)
        model.entries = entries.slice(0, cut)
        return
      }
      case 'reopen':
        await this.log.close()
        await this.open()
    }
  }

  append(entry: Omit<Entry, 'offset'>): void {
    const offset = this.model.end
    const { who, epoch, sequence, kind } = entry
    const records = textsOf({ ...entry, offset }).map((value) => ({ value }))
    const producer =
      who === null
        ? undefined
        : { id: who, epoch, baseSequence: sequence, transactional: kind === 'transactional' }
    const result = this.log.append(records, producer === undefined ? {} : { producer })
    expect(result).toMatchObject({ baseOffset: offset, duplicate: false })
    this.model.entries.push({ ...entry, offset })
  }

  /** The last batch of a producer is known after a start too. */
  repeat(): void {
    const who = this.model.entries.findLast((entry) => entry.who !== null && isData(entry))?.who
    if (who === undefined || who === null) return
    const { epoch } = this.model.next(who)
    const last = this.model.of(who).findLast((entry) => isData(entry) && entry.epoch === epoch)
    if (last === undefined) return
    const { offset, count, sequence, kind } = last
    const producer = { id: who, epoch, baseSequence: sequence, transactional: kind === 'transactional' }
    const result = this.log.append(
      textsOf(last).map((value) => ({ value })),
      { producer },
    )
    expect(result).toMatchObject({
      baseOffset: offset,
      lastOffset: offset + BigInt(count - 1),
      duplicate: true,
    })
  }

  async check(): Promise<void> {
    const { log, model } = this
    expect(log.offsets).toMatchObject({ logEndOffset: model.end, lastStableOffset: model.stable })
    const open = [0, 1, 2].flatMap((who) => {
      const firstOffset = model.open(who)
      return firstOffset === undefined ? [] : [{ producerId: BigInt(who), firstOffset }]
    })
    open.sort((a, b) => (a.firstOffset < b.firstOffset ? -1 : 1))
    expect(log.openTransactions()).toMatchObject(open)
    expect(await values(log.read({ isolation: 'committed' }))).toEqual(model.committed)
    for (const who of [0, 1, 2]) {
      if (model.of(who).length === 0) continue
      const { epoch, sequence } = model.next(who)
      const producer = log.producer({ id: who })
      expect([producer.epoch, producer.nextSequence]).toEqual([epoch, sequence])
    }
  }
}

describe('producers of a log', () => {
  it('are as a model has them after each step', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30, size: 'max' }), async (steps) => {
        const play = new Play()
        await play.open()
        try {
          for (const one of steps) {
            await play.take(one)
            await play.check()
          }
        } finally {
          await play.log.close()
          removeDir(dirname(play.path))
        }
      }),
      fcOptions(25),
    )
  }, 120_000)
})
