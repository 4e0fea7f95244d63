/**
 * The test of the test: with any one of the syncs that hold the promises taken
 * out, the proof of `power-cut.test.ts` has to fail. The list of syncs is made
 * by the stories themselves, and printed with what is missed without each.
 */
import { beforeAll, describe, expect, it } from 'vitest'
import { seededEntropy } from '../support/machine.js'
import { memoryDir } from '../support/temp-dir.js'
import { Disk } from './support/disk.js'
import { imageOf, randomVariant } from './support/images.js'
import { cutEverywhere } from './support/power-cuts.js'
import { recover } from './support/recovered.js'
import { SCENARIOS } from './support/scenarios.js'
import { type AllKnown, LOG, OTHER, type Scenario, Stage } from './support/stage.js'
import type { Step } from './support/tracing-machine.js'
import { MISSED_SYNCS, UNSEEN_SYNCS } from './support/unseen-syncs.js'

interface Told {
  readonly scenario: Scenario
  readonly steps: readonly Step<AllKnown>[]
  readonly firstStop: number
  readonly sites: ReadonlySet<string>
}

const told: Told[] = []

/** The stories, and what recoveries do after some stops of each. */
beforeAll(async () => {
  const { below } = seededEntropy(1)
  for (const scenario of SCENARIOS) {
    const stage = new Stage(memoryDir(), scenario.opens === 'log' ? [LOG] : [LOG, OTHER])
    await scenario.run(stage)
    const steps = stage.machine.ended()
    tell(scenario, steps, stage.machine.firstStop)
    for (const part of [0.5, 0.7, 0.9]) {
      const stop = Math.floor(steps.length * part)
      const disk = new Disk()
      for (const { event } of steps.slice(0, stop + 1)) disk.apply(event)
      const image = imageOf(
        disk,
        randomVariant('random', () => below(1_000) / 1_000),
      )
      const { known } = steps[stop + 1] ?? (steps[stop] as Step<AllKnown>)
      const recovery = await recover(image, known, scenario.opens)
      if (recovery.breaches.length === 0) tell(scenario, recovery.steps, 0)
    }
  }
}, 300_000)

function tell(scenario: Scenario, steps: readonly Step<AllKnown>[], firstStop: number): void {
  const sites = new Set(steps.flatMap(({ event }) => ('site' in event ? [event.site] : [])))
  told.push({ scenario, steps, firstStop, sites })
}

const SEEDS = [1, 2]

/** What nobody misses is tried in all stories, which takes many minutes: from this scale on, or where it is asked for. */
const triesAll = Number(process.env.PROOF_SCALE ?? 1) >= 2 || process.env.SITE !== undefined

describe('a sync that is left out', () => {
  it('is missed, each in turn', async () => {
    const sites = [...new Set(told.flatMap((one) => [...one.sites]))]
      .filter((site) => site !== 'before' && site !== 'end' && new RegExp(process.env.SITE ?? '').test(site))
      .sort()
    const unseen: string[] = []
    const tried = sites.filter((site) => triesAll || MISSED_SYNCS.includes(site))
    for (const site of tried) {
      const breach = await firstBreach(site)
      console.log(`without ${site}: ${breach ?? UNSEEN_SYNCS[site] ?? 'nothing'}`)
      if (breach === undefined) unseen.push(site)
    }
    console.log(
      `${tried.length} of ${sites.length} syncs tried, ${tried.length - unseen.length} missed when left out`,
    )
    expect(unseen.filter((site) => MISSED_SYNCS.includes(site))).toEqual([])
    // Those that hold the promises up are all in the stories.
    if (process.env.SITE === undefined) expect(sites).toEqual(expect.arrayContaining([...MISSED_SYNCS]))
  })
})

/** Images that hold with all syncs in place hold for this knowledge whichever sync is left out. */
const sound = new Set<string>()

async function firstBreach(site: string): Promise<string | undefined> {
  for (const seed of SEEDS) {
    for (const { scenario, steps, firstStop, sites } of told) {
      if (!sites.has(site)) continue
      const options = {
        opens: scenario.opens,
        firstStop,
        seed,
        randomVariants: 3,
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
