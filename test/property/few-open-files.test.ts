/** How many files may be open changes nothing but which are: not the answers, not the errors, not the files left. */
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { loadCodec } from '../../lib/backend/codecs/load.js'
import { CODEC_NAMES } from '../../lib/format/compression.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { treeOf } from '../support/tree.js'
import { LogSubject, operation, settings } from './log-operations.js'

const LOGS = 3

beforeAll(async () => {
  for (const name of CODEC_NAMES) await loadCodec(name)
})

/** What is done at the same time: at most one operation for each log. */
const step = fc.array(fc.option(operation), { minLength: LOGS, maxLength: LOGS })
const steps = fc.array(step, { minLength: 5, maxLength: 25, size: 'max' })

/** An active segment that is deleted keeps the length that its files just have. */
function filesOf(directory: string) {
  const files = Object.entries(treeOf(directory))
  return files.map(([path, content]) => [path, path.endsWith('.deleted') ? 'any' : content])
}

it('logs whose files are closed under way do as logs whose files stay open', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.integer({ min: 1, max: 3 }), steps, async (config, limit, all) => {
      const [few, many] = [limit, 10_000].map((most) => {
        const openSegments = new OpenSegments(most)
        return Array.from({ length: LOGS }, () => new LogSubject(tempDir(), config, { openSegments }))
      }) as [LogSubject[], LogSubject[]]
      const seen = (subjects: LogSubject[]) => subjects.map((subject) => subject.seen())
      await Promise.all([...few, ...many].map((subject) => subject.open()))
      try {
        for (const [at, operations] of all.entries()) {
          const carryOut = (subjects: LogSubject[]) =>
            Promise.all(
              subjects.map(async (subject, log) => {
                const one = operations[log] ?? undefined
                const answer = one === undefined ? undefined : await subject.apply(one)
                return { kind: one?.kind, answer }
              }),
            )

          const expected = await carryOut(many)
          expect(await carryOut(few), `step ${at}`).toEqual(expected)
          // Asking opens files too: not every time, or none would ever be found closed.
          if (at % 3 === 0) expect(seen(few), `after step ${at}`).toEqual(seen(many))
        }
        expect(seen(few)).toEqual(seen(many))
      } finally {
        await Promise.all([...few, ...many].map(({ log }) => log.close()))
      }
      for (const [log, { directory }] of few.entries()) {
        expect(filesOf(directory)).toEqual(filesOf((many[log] as LogSubject).directory))
      }
    }),
    fcOptions(6),
  )
})
