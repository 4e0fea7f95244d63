/** Both tools over transaction indexes and producer snapshots with any values in them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { INT64_MAX, INT64_MIN } from '../../../lib/base/int64.js'
import { transactionEntry } from '../../../lib/segment/transaction-index.js'
import { referenceCrc32c } from '../../support/crc-reference.js'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { differencesOf, KafkaDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const int64 = fc.oneof(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), fc.constantFrom(-1n, 0n, 1n))

async function expectSame(name: string, bytes: Buffer): Promise<void> {
  const path = join(tempDir(), name)
  writeFileSync(path, bytes)
  expect(await differencesOf(kafka, path)).toEqual([])
}

it('print the same of aborted transactions', async () => {
  const entry = fc.record({
    producerId: int64,
    firstOffset: int64,
    lastOffset: int64,
    lastStableOffset: int64,
  })
  const version = fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(entry, version), { maxLength: 6 }), async (entries) => {
      const stored = entries.map(([one, versionId]) => {
        const bytes = transactionEntry(one)
        bytes.writeInt16BE(versionId, 0)
        return bytes
      })
      await expectSame('00000000000000000007.txnindex', Buffer.concat(stored))
    }),
    fcOptions(100),
  )
})

/** An entry of a snapshot is 46 bytes of numbers, of which any may be there. */
it('print the same of producers', async () => {
  const ordinary = fc.constant(Buffer.concat([Buffer.alloc(38), Buffer.alloc(8, 0xff)]))
  const entry = fc.oneof(
    fc.uint8Array({ minLength: 46, maxLength: 46 }).map((bytes) => Buffer.from(bytes)),
    ordinary,
  )
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 6 }), async (entries) => {
      const bytes = Buffer.concat([Buffer.alloc(10), ...entries])
      bytes.writeInt16BE(1, 0)
      bytes.writeInt32BE(entries.length, 6)
      bytes.writeUInt32BE(referenceCrc32c(bytes.subarray(6)), 2)
      await expectSame('00000000000000000007.snapshot', bytes)
    }),
    fcOptions(100),
  )
})
