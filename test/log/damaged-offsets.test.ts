import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { loadCodec } from '../../lib/index.js'
import { message } from '../support/legacy-bytes.js'
import { collect, numbered, testLog } from '../support/log.js'

const COUNT = 40
/** Log and index contradict each other: either may be named. */
const OF_THE_SEGMENT = expect.stringMatching(/0{20}\.(log|index)$/)

/** A closed log of one-record batches in which the base offset of batch `nth` was changed. */
async function logWithBaseOffset(nth: number, baseOffset: (old: bigint) => bigint, config = {}) {
  const log = await testLog({ config: { indexIntervalBytes: 100, ...config } })
  for (let n = 0; n < COUNT; n++) log.append(numbered(1, n))
  const { path: file, batch } = log.locate(nth)
  await log.close()
  const bytes = readFileSync(file)
  const position = batch?.position as number
  bytes.writeBigInt64BE(baseOffset(bytes.readBigInt64BE(position)), position)
  writeFileSync(file, bytes)
  return { path: log.path, file }
}

describe('no checksum covers a base offset: one that is damaged is found by its neighbours', () => {
  test.each([
    ['moved behind others', 10, () => 35n],
    ['beyond the end of the log', 10, (old: bigint) => old | (1n << 40n)],
    ['moved before others', 20, () => 5n],
  ])('%s', async (_, nth, change) => {
    const { path } = await logWithBaseOffset(nth, change)
    for (const maxBytes of [1 << 20, 300, 100]) {
      const log = await testLog({ path })
      const seen: bigint[] = []
      const reading = (async () => {
        for await (const { offset } of log.read({ maxBytes })) seen.push(offset)
      })()
      await expect(reading).rejects.toMatchObject({
        code: 'ERR_CORRUPT',
        path: OF_THE_SEGMENT,
        position: expect.any(Number),
      })
      expect(seen).toEqual(Array.from({ length: seen.length }, (_, n) => BigInt(n)))
      expect(seen.length).toBeLessThanOrEqual(nth)
      await log.close()
    }
  })

  test('behind the next segment’s base', async () => {
    const { path, file } = await logWithBaseOffset(2, () => 30n, { internalSegmentBytes: 500 })
    const log = await testLog({ path })
    await expect(collect(log.read())).rejects.toMatchObject({ code: 'ERR_CORRUPT', path: OF_THE_SEGMENT })
    expect(file).toBe(join(path, '00000000000000000000.log'))
  })

  test('of a compressed batch of magic 1, whose first offset is known only when it is opened', async () => {
    const log = await testLog({})
    const set = [0n, 1n, 2n].map((offset) => message({ offset, value: Buffer.from('inner') }))
    const wrapper = message({ offset: 8n, attributes: 1, value: gzipSync(Buffer.concat(set)) })
    const plain = [0n, 1n, 2n, 3n, 4n, 5n].map((offset) => message({ offset, value: Buffer.from('plain') }))
    await loadCodec('gzip')
    for (const batch of [...plain, wrapper]) log.appendBatches(batch, { origin: 'follower' })
    expect(await collect(log.read())).toHaveLength(9)
    const { path: file } = log.locate(8n)
    await log.close()
    const bytes = readFileSync(file)
    bytes.writeBigInt64BE(6n, Buffer.concat(plain).length)
    writeFileSync(file, bytes)
    const again = await testLog({ path: log.path })
    const seen: bigint[] = []
    const reading = (async () => {
      for await (const { offset } of again.read()) seen.push(offset)
    })()
    await expect(reading).rejects.toMatchObject({ code: 'ERR_CORRUPT', path: file })
    expect(seen).toEqual([0n, 1n, 2n, 3n, 4n, 5n])
    // Who begins within it gets what it holds from there on.
    expect((await collect(again.read({ from: 6n }))).map(({ offset }) => offset)).toEqual([6n])
  })
})
