/** Both backends, driven with the same operations on a whole log, leave the same files, answers and errors. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { CODEC_NAMES } from '../../lib/format/compression.js'
import { bothBackends } from '../support/backend.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'
import { LogSubject, operation, settings } from './log-operations.js'

const backends = bothBackends()

beforeAll(async () => {
  for (const name of CODEC_NAMES) await loadCodec(name)
})

const operations = fc.array(operation, { minLength: 5, maxLength: 30, size: 'max' })

it.skipIf(backends.length === 0)(
  'native and portable do the same with a log',
  { timeout: 120_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(settings, operations, async (config, all) => {
        const subjects = [...backends].map((backend) => new LogSubject(tempDir(), config, { backend }))
        for (const subject of subjects) await subject.open()
        try {
          for (const [step, one] of all.entries()) {
            const [ours, theirs] = await each(subjects, (subject) => subject.apply(one))
            expect(theirs, `step ${step}: ${one.kind}`).toEqual(ours)
            if (subjects.some(({ log }) => log.state !== 'open')) break
            const [here, there] = await each(subjects, async (subject) => subject.seen())
            expect(there, `after step ${step}: ${one.kind}`).toEqual(here)
          }
        } finally {
          await each(subjects, ({ log }) => log.close())
        }
        const [left, right] = subjects.map(({ directory }) => treeOf(directory))
        expect(right).toEqual(left)
      }),
      fcOptions(8),
    )
  },
)

async function each<T>(
  subjects: readonly LogSubject[],
  work: (subject: LogSubject) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const subject of subjects) results.push(await work(subject))
  return results
}
