/** Both tools over logs that our engine wrote, whatever is in them, closed or not. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { jsonLines, plog } from '../../support/cli.js'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { flagsFor } from './support/flags.js'
import { loadCodecs, logPlan, withLog } from './support/logs.js'
import { differencesOf, KafkaDump } from './support/tools.js'

const kafka = new KafkaDump()
beforeAll(loadCodecs)
afterAll(() => kafka.close())

it('print the same of every file of a random log', async () => {
  await fc.assert(
    fc.asyncProperty(logPlan, async (plan) => {
      await withLog(tempDir(), plan, async (files) => {
        const segments = files.filter((path) => /\.(?:log|index|timeindex)$/.test(path))
        for (const path of segments)
          for (const flags of flagsFor(path)) expect(await differencesOf(kafka, path, flags)).toEqual([])
      })
    }),
    fcOptions(10),
  )
})

it('tells as JSON of as many batches and records as Kafka prints', async () => {
  await fc.assert(
    fc.asyncProperty(logPlan, async (plan) => {
      await withLog(tempDir(), plan, async (files) => {
        for (const path of files.filter((name) => name.endsWith('.log'))) {
          const { stdout } = await kafka.dump(['--files', path, '--deep-iteration', '--skip-record-metadata'])
          const printed = stdout.toString().split('\n').slice(2, -1)
          const batches = printed.filter((line) => line !== '').length
          const told = jsonLines(await plog(['dump', '--json', '--print-data-log', path])).map(
            ({ type }) => type,
          )
          expect(told.filter((type) => type === 'batch')).toHaveLength(batches)
          expect(told.filter((type) => type === 'record')).toHaveLength(printed.length - batches)
        }
      })
    }),
    fcOptions(10),
  )
})
