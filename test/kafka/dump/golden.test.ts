/** Both tools over every file under test/golden, with every flag. */
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { flagsFor } from './support/flags.js'
import { golden, goldenFiles } from './support/golden.js'
import { differencesOf, KafkaDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

/** Files that Kafka's tool passes over and ours prints. */
const OURS_ALONE = /-checkpoint$|\/partition\.metadata$/

it.each(goldenFiles.filter((path) => !OURS_ALONE.test(path)))('%s', async (file) => {
  const path = join(golden, file)
  for (const flags of flagsFor(path)) expect(await differencesOf(kafka, path, flags)).toEqual([])
})
