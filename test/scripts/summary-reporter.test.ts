/** The rules by which a run counts as passed: totals, equal backends, no empty run. */
import { expect, test } from 'vitest'
import { type Outcome, summarize } from '../support/summary-reporter.js'

function outcome(backend: string, name: string, state: Outcome['state'] = 'passed'): Outcome {
  return { backend, name, state }
}

test('adds up each backend and all of them', () => {
  const outcomes = [
    outcome('native', 'a'),
    outcome('native', 'b', 'failed'),
    outcome('native', 'c', 'skipped'),
    outcome('portable', 'a'),
    outcome('portable', 'b'),
  ]
  expect(summarize(outcomes, 0)).toEqual({
    backends: {
      native: { passed: 1, failed: 1, skipped: 1 },
      portable: { passed: 2, failed: 0, skipped: 0 },
    },
    passed: 3,
    failed: 1,
    problems: [],
  })
})

test('an error outside of the tests is a failure', () => {
  expect(summarize([outcome('native', 'a')], 2)).toMatchObject({ passed: 1, failed: 2 })
})

test('a test that only one backend ran is a problem', () => {
  const skipped = summarize([outcome('native', 'a'), outcome('portable', 'a', 'skipped')], 0)
  expect(skipped.problems).toEqual(['ran on native but not on portable: a'])
  const twice = summarize([outcome('native', 'a'), outcome('portable', 'a'), outcome('portable', 'a')], 0)
  expect(twice.problems).toEqual(['ran on portable but not on native: a'])
})

test('one backend alone is no problem', () => {
  expect(summarize([outcome('portable', 'a')], 0).problems).toEqual([])
})

test('a run without tests is a problem, also when all were skipped', () => {
  expect(summarize([], 0).problems).toEqual(['no test ran'])
  expect(summarize([outcome('native', 'a', 'skipped')], 0).problems).toEqual(['no test ran'])
})
