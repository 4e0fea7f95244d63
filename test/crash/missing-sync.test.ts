/**
 * The test of the test: with any one sync taken out, the proof of
 * `power-cut.test.ts` has to fail. The list of syncs is made by the scenarios
 * themselves; that no call in lib/ is missing from it is checked too.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { memoryDir } from '../support/temp-dir.js'
import { cutEverywhere } from './support/power-cuts.js'
import { type AllKnown, LOG, OTHER, SCENARIOS, type Scenario, Stage } from './support/scenarios.js'
import type { Step } from './support/tracing-machine.js'
import { UNSEEN_SYNCS } from './support/unseen-syncs.js'

interface Told {
  readonly scenario: Scenario
  readonly steps: readonly Step<AllKnown>[]
  readonly sites: ReadonlySet<string>
}

const told: Told[] = []

beforeAll(async () => {
  for (const scenario of SCENARIOS) {
    const stage = new Stage(memoryDir(), scenario.opens === 'log' ? [LOG] : [LOG, OTHER])
    await scenario.run(stage)
    const steps = stage.machine.ended()
    const sites = new Set(steps.flatMap(({ event }) => ('site' in event ? [event.site] : [])))
    told.push({ scenario, steps, sites })
  }
})

const SEEDS = [1, 2, 3, 4]

describe('a sync that is left out', () => {
  it('is missed, each in turn', async () => {
    const sites = [...new Set(told.flatMap((one) => [...one.sites]))]
      .filter((site) => site !== 'before' && site !== 'end')
      .sort()
    const unseen: string[] = []
    for (const site of sites) {
      const breach = await firstBreach(site)
      console.log(`without ${site}: ${breach ?? 'nothing'}`)
      if (breach === undefined) unseen.push(site)
    }
    console.log(`${sites.length} syncs, ${sites.length - unseen.length} missed when left out`)
    expect(unseen).toEqual(Object.keys(UNSEEN_SYNCS).sort())
  })
})

/** Images that hold with all syncs in place hold for this knowledge whichever sync is left out. */
const sound = new Set<string>()

async function firstBreach(site: string): Promise<string | undefined> {
  for (const seed of SEEDS) {
    for (const { scenario, steps, sites } of told) {
      if (!sites.has(site)) continue
      const options = {
        opens: scenario.opens,
        seed,
        randomVariants: 2,
        secondStops: 0,
        sound,
        stopsAtFirst: true,
      }
      const { breaches } = await cutEverywhere(steps, { ...options, isLeftOut: (other) => other === site })
      if (breaches[0] !== undefined) return `${scenario.name}, ${breaches[0]}`
    }
  }
  return undefined
}
