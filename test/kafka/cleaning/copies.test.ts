/**
 * Copies of random logs beside Kafka's own `MemoryRecords.filterTo`, which is
 * told which records stayed: headers, timestamps and horizons are its affair.
 * Batches of magic 2 only: what Kafka 4 cleans of older ones it makes magic 2.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCodec } from '../../../lib/backend/codecs/load.js'
import type { Backend } from '../../../lib/backend/contract.js'
import type { Batch } from '../../../lib/format/batch.js'
import { recordBatches } from '../../../lib/format/batches.js'
import { bothBackends } from '../../support/backend.js'
import { batchesIn, clean, DAY_MS, makeSegments, NOW_MS } from '../../support/cleaning.js'
import { fcOptions } from '../../support/random.js'
import { logOf, type Step, steps } from '../../support/random-log.js'
import { swiftBackend } from '../../support/swift-backend.js'
import { memoryDir, removeDir } from '../../support/temp-dir.js'
import { JavaProcess } from '../support/java-process.js'

const kafka = new JavaProcess('cleaning.CleaningMain')
afterAll(() => kafka.close())

beforeAll(async () => {
  for (const name of ['gzip', 'snappy', 'lz4', 'zstd'] as const) await loadCodec(name)
})

/** The log before and after its last of `rounds` cleanings. */
async function cleaned(given: readonly Step[], rounds: number, real: Backend) {
  const directory = memoryDir()
  const backend = swiftBackend(real)
  const { segments: specs, endOffset } = logOf(given)
  let segments = await makeSegments(directory, specs, backend)
  let before: Batch[] = []
  for (let round = 0; round < rounds && endOffset > 0; round++) {
    before = batchesIn(directory)
    const inputs = segments.filter(({ baseOffset }) => Number(baseOffset) < endOffset)
    const active = segments.filter(({ baseOffset }) => Number(baseOffset) >= endOffset)
    const result = await clean(directory, inputs, { firstUncleanableOffset: endOffset, backend })
    segments = [...result.segments, ...active]
  }
  const after = batchesIn(directory)
  removeDir(directory)
  return { before, after }
}

async function kafkaCopy(before: readonly Batch[], after: readonly Batch[]): Promise<Batch[]> {
  const texts = (batches: readonly { lastOffset: bigint }[]) =>
    batches.map(({ lastOffset }) => `${lastOffset}`)
  const left = await kafka.ask<string[]>({
    batches: Buffer.concat(before.map(({ bytes }) => bytes)).toString('base64'),
    nowMs: NOW_MS,
    deleteRetentionMs: DAY_MS,
    keep: after.flatMap((batch) => [...batch.records()].map(({ offset }) => `${offset}`)),
    empty: texts(after.filter(({ count }) => count === 0)),
    markersOfNothing: texts(after.filter((batch) => batch.isControl && batch.deleteHorizonMs !== null)),
  })
  return left.flatMap((text) => [...recordBatches(Buffer.from(text, 'base64'))])
}

/** All bytes, but for how a codec's library packs records. */
function contentOf(batch: Batch) {
  if (batch.codec === 'none') return batch.bytes.toString('hex')
  const header = Buffer.from(batch.bytes.subarray(0, 61))
  header.fill(0, 8, 12).fill(0, 17, 21)
  return [header.toString('hex'), ...[...batch.records()].map((record) => JSON.stringify(record))]
}

test('what is left of a batch has the bytes that Kafka leaves', async () => {
  const current = steps().map((given) => given.filter(({ kind }) => kind !== 'legacy'))
  for (const backend of bothBackends()) {
    await fc.assert(
      fc.asyncProperty(current, fc.constantFrom(1, 2), async (given, rounds) => {
        const { before, after } = await cleaned(given, rounds, backend)
        expect(after.map(contentOf)).toEqual((await kafkaCopy(before, after)).map(contentOf))
      }),
      fcOptions(100),
    )
  }
})
