/** Batches that a broker compressed, read through each library. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { recordBatches } from '../../../lib/format/batches.js'
import { registerCodec } from '../../../lib/format/compression.js'
import { everyCodec } from '../../support/codecs.js'
import { bytesForm, type GoldenBatch } from '../../support/golden.js'

const codecs = await everyCodec()
const LOG = 'broker-4.4.0/codecs-0/00000000000000000000.log'
const golden = (path: string): Buffer => readFileSync(new URL(`../../golden/${path}`, import.meta.url))
const bytes = golden(LOG)
const expected = JSON.parse(golden(`expected/${LOG}.json`).toString()) as GoldenBatch[]

describe.each(codecs.map((codec) => [codec.name, codec.library, codec] as const))(
  '%s by %s',
  (name, _, codec) => {
    test('opens what the broker wrote', async () => {
      registerCodec(codec)
      const batches = [...recordBatches(bytes)]
      expect(batches).toHaveLength(expected.length)
      let opened = 0
      for (const [n, batch] of batches.entries()) {
        if (batch.codec !== name) continue
        const values = expected[n]!.records.map(({ value }) => value)
        expect([...batch.records()].map(({ value }) => bytesForm(value))).toEqual(values)
        const again = [...recordBatches(batch.bytes)][0]!
        await again.load()
        expect([...again.records()].map(({ value }) => bytesForm(value))).toEqual(values)
        opened++
      }
      expect(opened).toBeGreaterThan(0)
    })
  },
)
