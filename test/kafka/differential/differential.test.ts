/**
 * Kafka 4.4.0's own log, our native and our portable one: the same script
 * under the same clock leaves the same answers, refusals, states and files.
 *
 *     SEED=… PROOF_SCALE=…     random scripts from a seed, and how many
 *     REPEAT=<file>            one script instead, as a failure printed it
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fcOptions, runs } from '../../support/random.js'
import { Arena } from './arena.js'
import { threeUsers } from './cases/cleaning.js'
import { meantCases } from './cases/meant.js'
import { clean } from './cases/moves.js'
import { NAMED_CASES } from './cases/named-cases.js'
import { cleaningScriptOf } from './cleaning-script.js'
import { MUST_OCCUR } from './must-occur.js'
import type { Comparison } from './operation.js'
import { resolve } from './resolve.js'
import { type Run, runScript, Session } from './run-script.js'
import { type Script, scriptOf } from './script.js'
import { showMeant } from './show-meant.js'
import { Tally } from './tally.js'

const SCRIPTS: Readonly<Record<Comparison, number>> = { exact: 160, decoded: 40 }
const CLEANING_SCRIPTS: Readonly<Record<Comparison, number>> = { exact: 50, decoded: 15 }
const COMPARISONS = Object.keys(SCRIPTS) as Comparison[]
const MINUTE_MS = 60_000
/** Where the machine is slow and busy; what is left of it when a script fails goes into making it short. */
const limitMs = (scripts: number) => (3 + scripts / 25) * MINUTE_MS

const tally = new Tally()
let arena: Arena

beforeAll(async () => {
  arena = await Arena.open()
}, MINUTE_MS)
afterAll(() => arena.close())

const { REPEAT } = process.env

describe.skipIf(REPEAT !== undefined)('the same script, the same log', () => {
  it.each(byName(NAMED_CASES))('%s', (_, run) =>
    arena.play((contenders) => runScript(run, contenders, tally)),
  )

  it.each(COMPARISONS)(
    'random scripts, %s',
    (comparison) => play(scriptOf(comparison), SCRIPTS[comparison]),
    limitMs(runs(SCRIPTS.exact)) + MINUTE_MS,
  )

  it.each(COMPARISONS)(
    'random scripts of logs that are cleaned, %s',
    (comparison) => play(cleaningScriptOf(comparison), CLEANING_SCRIPTS[comparison]),
    limitMs(runs(CLEANING_SCRIPTS.exact)) + MINUTE_MS,
  )
})

it.skipIf(REPEAT !== undefined)('three users: offsets 6, 8 and 9 stay, and 110 bytes of 199', () =>
  arena.play(async (contenders) => {
    const session = new Session(threeUsers, contenders)
    await session.open()
    const firstBytes = () => session.view().state.segments[0]?.sizeInBytes
    const upToClean = threeUsers.moves.indexOf(clean)
    for (const move of threeUsers.moves.slice(0, upToClean)) await session.step(move, tally)
    expect(firstBytes()).toBe(199)
    await session.step(clean, tally)
    expect(firstBytes()).toBe(110)
    const [first] = session.view().batches()
    expect([...(first?.records() ?? [])].map(({ offset }) => offset)).toEqual([6n, 8n, 9n])
    for (const { directory } of contenders)
      expect(readFileSync(join(directory, 'cleaner-offset-checkpoint'), 'utf8')).toBe('0\n1\nlog 0 10\n')
    await session.abandon()
  }),
)

describe.skipIf(REPEAT !== undefined)('meant to differ', () => {
  it.each(byName(meantCases))('%s', async (_, meant) => {
    const shown = await arena.play((contenders) => showMeant(meant, contenders, tally))
    expect(shown.kafka).toBe(meant.kafka)
    for (const ours of shown.ours) {
      expect(ours.outcome).toBe(meant.ours)
      expect(ours.difference).toMatch(meant.difference)
    }
    tally.count(`meant difference: ${meant.shows}`)
  })
})

it.skipIf(REPEAT !== undefined)('all of it happened', () => {
  // Not through the console, which is shown for failed tests alone.
  process.stdout.write(`\nhow often, all contenders agreeing:\n${tally}\n`)
  expect(tally.missing(MUST_OCCUR)).toEqual([])
})

it.runIf(REPEAT !== undefined)('the script of a failure, again', async () => {
  const run = JSON.parse(readFileSync(REPEAT as string, 'utf8')) as Run
  await arena.play((contenders) => runScript(run, contenders, tally))
})

async function play(scripts: fc.Arbitrary<Script>, count: number): Promise<void> {
  const options = fcOptions(count)
  await fc.assert(
    fc.asyncProperty(scripts, (script) =>
      arena.play((contenders) => runScript(runOf(script), contenders, tally)),
    ),
    { ...options, interruptAfterTimeLimit: limitMs(options.numRuns) },
  )
}

function byName<Case extends { readonly name: string }>(cases: readonly Case[]): [name: string, one: Case][] {
  return cases.map((one) => [one.name, one])
}

function runOf({ steps, ...script }: Script): Run {
  return { ...script, moves: steps.map((step) => (view) => resolve(step, view)) }
}
