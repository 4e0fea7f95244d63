import { expect, test } from 'vitest'
import type { BatchColumns, BatchScan, ScanOptions } from '../../lib/backend/contract.js'
import { scansAhead } from '../../lib/segment/scans-ahead.js'

const OPTIONS = { fromPosition: 0, endPosition: 100, maxBatches: 1, checkCrc: false }

/** Scans of ten bytes each, the last of which ends with `stop`. */
function scansOf(count: number, stop: BatchScan['stop']) {
  const asked: ScanOptions[] = []
  const scan = (options: ScanOptions): Promise<BatchScan> => {
    asked.push(options)
    const endPosition = options.fromPosition + 10
    const batches = { count: asked.length } as BatchColumns
    return Promise.resolve({ batches, endPosition, stop: endPosition === count * 10 ? stop : 'limit' })
  }
  return { asked, scan }
}

test('each begins where the one before ended, and is under way while that is looked at', async () => {
  const { asked, scan } = scansOf(4, 'bad-crc')
  const seen: string[] = []
  for await (const { endPosition, stop } of scansAhead(scan, OPTIONS))
    seen.push(`${endPosition} ${stop} ${asked.length}`)
  expect(seen).toEqual(['10 limit 2', '20 limit 3', '30 limit 4', '40 bad-crc 4'])
  expect(asked.map(({ fromPosition }) => fromPosition)).toEqual([0, 10, 20, 30])
})

test('memory is used again only when nobody looks at it any more', async () => {
  const { asked, scan } = scansOf(5, 'end')
  let current: BatchColumns | undefined
  for await (const { batches } of scansAhead(scan, OPTIONS)) {
    current = batches
    expect(asked.at(-1)?.reuse).not.toBe(current)
  }
  expect(asked.map(({ reuse }) => reuse?.count)).toEqual([undefined, undefined, 1, 2, 3])
})

test('a failure is told when the reader comes to it, and not at all where it stops before', async () => {
  const failing = ({ fromPosition }: ScanOptions): Promise<BatchScan> =>
    fromPosition > 0
      ? Promise.reject(new Error('no more'))
      : Promise.resolve({ batches: {} as BatchColumns, endPosition: 10, stop: 'limit' })
  const seen: number[] = []
  const read = async () => {
    for await (const { endPosition } of scansAhead(failing, OPTIONS)) seen.push(endPosition)
  }
  await expect(read()).rejects.toThrow('no more')
  expect(seen).toEqual([10])
  for await (const _ of scansAhead(failing, OPTIONS)) break
})
