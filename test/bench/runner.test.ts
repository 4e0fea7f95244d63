/** The turns of one row, with workers that only say who was asked for what. */
import { expect, test } from 'vitest'
import { runRow } from '../../bench/lib/runner.mjs'
import { Absent } from '../../bench/lib/worker-process.mjs'

const ROW = { id: 'a-row', unit: 'ns', better: 'less', goal: null }

class Scripted {
  readonly calls: string[]
  readonly name: string
  #values: unknown[]

  constructor(name: string, calls: string[], values: readonly unknown[]) {
    this.name = name
    this.calls = calls
    this.#values = [...values]
  }

  async ready() {
    this.calls.push(`${this.name} ready`)
    if (this.#values[0] === 'absent') throw new Absent('too few descriptors')
  }

  async round() {
    this.calls.push(`${this.name} round`)
    const value = this.#values.shift()
    if (value === 'fault') throw new Error('it broke')
    if (value === 'other') return { value: 1, operations: 10, check: 2 }
    return { value, operations: 10, check: 1 }
  }

  async end() {
    this.calls.push(`${this.name} end`)
    return { peakKib: 7 }
  }

  async kill() {
    this.calls.push(`${this.name} killed`)
  }
}

async function course(row: object, values: Record<string, readonly unknown[]>, rounds = 3) {
  const calls: string[] = []
  const start = async (name: string) => new Scripted(name, calls, values[name] ?? [])
  const outcome = await runRow(row, { contenders: Object.keys(values), rounds, start, say: () => {} })
  return { calls, ...outcome }
}

test('all are ready before the first round, and rounds go round them', async () => {
  const { calls, results } = await course(ROW, { a: [3, 1, 2], b: [9, 9, 5] })
  const rounds = ['a round', 'b round']
  expect(calls).toEqual(['a ready', 'b ready', ...rounds, ...rounds, ...rounds, 'a end', 'b end'])
  expect(results).toMatchObject([
    { name: 'a-row', contender: 'a', unit: 'ns', median: 2, rounds: [3, 1, 2], peakKib: 7, p50: null },
    { contender: 'b', median: 9 },
  ])
})

test('who fails is killed, reported and left out, and the others go on', async () => {
  const { calls, results, faults } = await course(ROW, { a: [1, 'fault'], b: [1, 2, 3] })
  expect(faults).toEqual([{ contender: 'a', text: 'it broke' }])
  expect(results.map(({ contender }: { contender: string }) => contender)).toEqual(['b'])
  expect(calls.filter((call) => call.startsWith('a'))).toEqual(['a ready', 'a round', 'a round', 'a killed'])
})

test('who cannot take part is left out without a failure', async () => {
  const { results, faults, absent } = await course(ROW, { a: ['absent'], b: [1, 2, 3] })
  expect(faults).toEqual([])
  expect(absent).toEqual([{ contender: 'a', text: 'too few descriptors' }])
  expect(results).toHaveLength(1)
})

test('a fresh row has a new process each round', async () => {
  const { calls } = await course({ ...ROW, fresh: true }, { a: [1] }, 2)
  expect(calls).toEqual(['a ready', 'a round', 'a end', 'a ready', 'a round', 'a end'])
})

test('a sample without a value, or of other work, is a fault', async () => {
  const { faults } = await course(ROW, { a: [1, 2, 3], b: [undefined], c: ['other'] })
  expect(faults.map(({ contender }: { contender: string }) => contender)).toEqual(['b', 'c'])
})
