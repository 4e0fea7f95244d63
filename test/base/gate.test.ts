import { describe, expect, test } from 'vitest'
import { Gate } from '../../lib/base/gate.js'

/** Work that goes on until it is told. */
function heldWork(started: string[], name: string) {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return {
    end,
    run: () => {
      started.push(name)
      return ended
    },
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('a gate', () => {
  test('lets so many in at once, in the turn of the call', () => {
    const started: string[] = []
    const gate = new Gate(2)
    for (const name of ['a', 'b', 'c']) void gate.pass(heldWork(started, name).run)
    expect(started).toEqual(['a', 'b'])
  })

  test('lets the others in one by one, the first to come first', async () => {
    const started: string[] = []
    const gate = new Gate(1)
    const works = ['a', 'b', 'c'].map((name) => heldWork(started, name))
    const passed = works.map(({ run }) => gate.pass(run))
    for (const [index, { end }] of works.entries()) {
      expect(started).toEqual(['a', 'b', 'c'].slice(0, index + 1))
      end()
      await passed[index]
      await turn()
    }
    void gate.pass(heldWork(started, 'd').run)
    expect(started.at(-1)).toBe('d')
  })

  test('gives a place back when the work fails, and tells the failure', async () => {
    const gate = new Gate(1)
    const failing = [
      gate.pass(() => Promise.reject(new Error('first'))),
      gate.pass(() => {
        throw new Error('second')
      }),
    ]
    const outcomes = await Promise.allSettled(failing)
    expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason.message)).toEqual([
      'first',
      'second',
    ])
    expect(await gate.pass(async () => 'in')).toBe('in')
  })
})
