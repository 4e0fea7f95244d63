import { describe, expect, it } from 'vitest'
import { runs } from '../support/random.js'
import { memoryDir } from '../support/temp-dir.js'
import { cutEverywhere } from './support/power-cuts.js'
import { SCENARIOS } from './support/scenarios.js'
import { LOG, OTHER, Stage } from './support/stage.js'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))

describe('a power failure after any step', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    console.log(`SEED=${SEED}`)
    const stage = new Stage(memoryDir(), scenario.opens === 'log' ? [LOG] : [LOG, OTHER])
    await scenario.run(stage)
    const steps = stage.machine.ended()
    const options = {
      opens: scenario.opens,
      firstStop: stage.machine.firstStop,
      thinned: scenario.isLong === true && runs(1) === 1 ? 3 : 1,
      seed: SEED,
      randomVariants: runs(1),
      secondStops: runs(1),
      sound: new Set<string>(),
    }
    const counts = await cutEverywhere(steps, options)
    console.log(
      `${name}: ${counts.steps} stops, ${counts.images} images, ${counts.recovered} recovered, ${counts.secondStops} stopped again in recovery; ${counts.holed} with a hole above what was durable`,
    )
    expect(counts.breaches.slice(0, 20)).toEqual([])
  })
})
