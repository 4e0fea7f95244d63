/** A checkpoint that many logs share: how often its file is read and written, and that no line is lost. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Lane } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { parseOffsetCheckpoint, RECOVERY_POINT_FILE } from '../../lib/checkpoint/offset-checkpoint.js'
import { SharedCheckpoint } from '../../lib/checkpoint/shared-checkpoint.js'
import { backendUnderTest } from '../support/backend.js'
import { tempDir } from '../support/temp-dir.js'

const lanes: Lane[] = []

afterEach(async () => {
  for (const lane of lanes.splice(0)) await lane.close()
})

type Wait = Promise<void> | void

/**
 * With its calls counted. Reads and renames are told to `before` first, which
 * may make them fail; what the n-th read has found waits for `afterRead`.
 */
function shared(
  directory = tempDir(),
  before: (call: string) => Wait = () => undefined,
  afterRead: (reads: number) => Wait = () => undefined,
) {
  const lane = backendUnderTest().openLane()
  lanes.push(lane)
  const calls: string[] = []
  const noted = async <T>(call: string, run: () => Promise<T>): Promise<T> => {
    calls.push(call)
    await before(call)
    return run()
  }
  const files = {
    ...nodeFiles,
    read: (path: string, maxBytes: number) =>
      noted('read', async () => {
        const found = await nodeFiles.read(path, maxBytes)
        await afterRead(calls.filter((call) => call === 'read').length)
        return found
      }),
    rename: (from: string, to: string) => noted('rename', () => nodeFiles.rename(from, to)),
  }
  const path = join(directory, RECOVERY_POINT_FILE)
  const stored = () => Object.fromEntries(parseOffsetCheckpoint(path, readFileSync(path, 'utf8')))
  return {
    checkpoint: new SharedCheckpoint({ files, lane }, directory, RECOVERY_POINT_FILE),
    calls,
    stored,
    directory,
  }
}

const line = (name: string, offset: bigint | undefined) => new Map([[name, offset]])

test('is read once, however many ask at the same time', async () => {
  const { directory, checkpoint } = shared()
  await checkpoint.update(line('orders-0', 7n))
  const again = shared(directory)
  const names = Array.from({ length: 100 }, (_, n) => `orders-${n}`)
  const offsets = await Promise.all(names.map((name) => again.checkpoint.offsetOf(name)))
  expect(offsets).toEqual(names.map((name) => (name === 'orders-0' ? 7n : undefined)))
  expect(again.calls).toEqual(['read'])
})

test('is written once for the first of many changes and once for the rest, and not where nothing changes', async () => {
  const { checkpoint, calls, stored } = shared()
  const names = Array.from({ length: 100 }, (_, n) => `orders-${n}`)
  const updateAll = () => Promise.all(names.map((name, n) => checkpoint.update(line(name, BigInt(n)))))
  await updateAll()
  expect(stored()).toEqual(Object.fromEntries(names.map((name, n) => [name, BigInt(n)])))
  expect(calls.filter((call) => call === 'rename').length).toBeLessThanOrEqual(2)
  calls.length = 0
  await updateAll()
  await checkpoint.update(line('payments-0', undefined))
  expect(calls).toEqual([])
})

test('loses no line to a log that is opened while it is being written', async () => {
  const { directory, checkpoint: before } = shared()
  await before.update(line('orders-0', 1n))
  let tell = () => {}
  const told = new Promise<void>((resolve) => {
    tell = resolve
  })
  let opening: Promise<unknown> = Promise.resolve()
  const { checkpoint, stored } = shared(
    directory,
    async (call) => {
      if (call === 'rename') opening = checkpoint.offsetOf('payments-0')
    },
    // Whatever is read beside the write is the old content, told when the new one is in place.
    (reads) => (reads > 1 ? told : undefined),
  )
  await checkpoint.update(line('orders-0', 2n))
  tell()
  await opening
  await checkpoint.update(line('payments-0', 5n))
  expect(stored()).toEqual({ 'orders-0': 2n, 'payments-0': 5n })
})

test('is read again where a write failed', async () => {
  let isFailing = false
  const { checkpoint, calls, stored } = shared(tempDir(), (call) => {
    if (isFailing && call === 'rename') throw new Error('no rename')
  })
  await checkpoint.update(line('orders-0', 1n))
  isFailing = true
  await expect(checkpoint.update(line('orders-0', 2n))).rejects.toThrow('no rename')
  isFailing = false
  calls.length = 0
  expect(await checkpoint.offsetOf('orders-0')).toBe(1n)
  await checkpoint.update(line('payments-0', 3n))
  expect(calls).toEqual(['read', 'rename'])
  expect(stored()).toEqual({ 'orders-0': 1n, 'payments-0': 3n })
})
