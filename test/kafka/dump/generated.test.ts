/** Both tools over logs that our engine wrote, whatever is in them. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { differences } from './support/compare.js'
import { flagsFor } from './support/flags.js'
import { loadCodecs, logPlan, withLog } from './support/logs.js'
import { BACKENDS, KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
beforeAll(loadCodecs)
afterAll(() => kafka.close())

it('prints the same of every file of a random log', async () => {
  await fc.assert(
    fc.asyncProperty(logPlan, async (plan) => {
      await withLog(tempDir(), plan, async (files) => {
        const segments = files.filter((path) => /\.(log|index|timeindex)$/.test(path))
        for (const path of segments)
          for (const flags of flagsFor(path)) {
            const args = ['--files', path, ...flags]
            const theirs = await kafka.dump(args)
            for (const backend of BACKENDS)
              expect({ args, differences: differences(path, theirs, await ourDump(args, backend)) }).toEqual({
                args,
                differences: [],
              })
          }
      })
    }),
    fcOptions(60),
  )
})
