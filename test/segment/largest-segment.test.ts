/** A segment of 2^31 - 1 bytes, the most that positions reach: a hole with batches at its end. */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { fileName } from '../../lib/segment/names.js'
import { collect, testLog, values } from '../support/log.js'

/** Elsewhere two GiB would be written. */
const canHoldHoles = process.platform !== 'win32'
const LARGEST = 2 ** 31 - 1
const FIRST = 1_000n
const BATCH_BYTES = encodeBatch([record(0)]).length

function record(n: number) {
  return { value: `v${n}`, timestamp: 5_000 + n }
}

/** A cleanly closed log of one segment: one batch at its begin, nothing, and one as far behind as leaves room for `room` more. */
async function logNearItsEnd(room: number): Promise<{ path: string; position: number }> {
  const { path, close } = await smallLog()
  await close()
  const position = LARGEST - BATCH_BYTES * (room + 1)
  const file = openSync(join(path, fileName(0n, 'log')), 'r+')
  writeSync(
    file,
    encodeBatch([record(0)], { baseOffset: FIRST, partitionLeaderEpoch: 0 }),
    0,
    BATCH_BYTES,
    position,
  )
  ftruncateSync(file, position + BATCH_BYTES)
  closeSync(file)
  const offsetEntry = Buffer.alloc(8)
  offsetEntry.writeInt32BE(Number(FIRST), 0)
  offsetEntry.writeInt32BE(position, 4)
  writeFileSync(join(path, fileName(0n, 'index')), offsetEntry)
  const timeEntry = Buffer.alloc(12)
  timeEntry.writeBigInt64BE(5_000n, 0)
  timeEntry.writeInt32BE(Number(FIRST), 8)
  writeFileSync(join(path, fileName(0n, 'timeindex')), timeEntry)
  for (const name of readdirSync(path)) if (name.endsWith('.snapshot')) rmSync(join(path, name))
  return { path, position }
}

async function smallLog() {
  const log = await testLog({ config: { segmentBytes: LARGEST, indexIntervalBytes: 0 } })
  log.append([{ value: 'first', timestamp: 1 }])
  return { path: log.path, close: () => log.close() }
}

it.runIf(canHoldHoles)(
  'known fault 7: its last batches are found, read, appended and cut like any others',
  async () => {
    const { path, position } = await logNearItsEnd(2)
    const log = await testLog({ path })
    expect(log.offsets.logEndOffset).toBe(FIRST + 1n)
    expect(log.locate(FIRST)).toMatchObject({ batch: { position, sizeInBytes: BATCH_BYTES } })
    for (const n of [1, 2]) log.append([record(n)])
    expect(statSync(join(path, fileName(0n, 'log'))).size).toBe(LARGEST)
    expect(log.locate(FIRST + 2n)).toMatchObject({ batch: { position: LARGEST - BATCH_BYTES } })
    log.append([record(3)])
    expect(log.segments.map(({ baseOffset }) => baseOffset)).toEqual([0n, FIRST + 3n])
    expect(log.segments[0]).toMatchObject({ sizeInBytes: LARGEST })
    expect(await values(log.read({ from: FIRST }))).toEqual(['v0', 'v1', 'v2', 'v3'])
    expect((await log.fetch(FIRST + 2n, { maxBytes: LARGEST })).batches).toHaveLength(BATCH_BYTES)
    expect(await log.offsetForTimestamp(5_002)).toEqual({ offset: FIRST + 2n, timestamp: 5_002n })
    await log.truncateTo(FIRST + 2n)
    expect(log.append([record(9)]).baseOffset).toBe(FIRST + 2n)
    await log.close()
    const again = await testLog({ path })
    expect((await collect(again.read({ from: FIRST }))).map(({ value }) => `${value}`)).toEqual([
      'v0',
      'v1',
      'v9',
    ])
  },
)

it.runIf(canHoldHoles)('known fault 8: sizes of several are summed beyond 32 bits', async () => {
  const { path } = await logNearItsEnd(0)
  const log = await testLog({ path })
  for (let n = 0; n < 3; n++) {
    log.append([record(n)])
    log.roll()
  }
  expect(log.stats().sizeInBytes).toBe(LARGEST + 3 * BATCH_BYTES)
})
