/**
 * Whatever becomes of the bytes that were never known to be on disk: what a
 * recovery keeps is a prefix of what was appended, and the log goes on from
 * there.
 */
import { copyFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { numbered, values } from '../support/log.js'
import { fcOptions } from '../support/random.js'
import {
  batchPositions,
  copyOf,
  killedLog,
  logFile,
  openSwiftly,
  setRecoveryPoint,
} from '../support/unclean-log.js'

const COUNTS = [1, 3, 2, 1, 4, 2]

/** Two segments of three batches; nothing is known to be on disk. */
async function killed(): Promise<string> {
  const path = await killedLog(
    (log) => {
      let from = 0
      for (const [n, count] of COUNTS.entries()) {
        if (n === 3) log.roll()
        log.append(numbered(count, from), { leaderEpoch: n })
        from += count
      }
    },
    { indexIntervalBytes: 0 },
  )
  setRecoveryPoint(path, 0)
  return path
}

/** Where each batch ends: segment, position and the offset behind it. */
function ends(path: string): { base: number; position: number; offset: number }[] {
  let offset = 0
  return [0, 6].flatMap((base) => {
    const [, ...positions] = batchPositions(logFile(path, base))
    return positions.map((position, n) => {
      offset += COUNTS[(base === 0 ? 0 : 3) + n] as number
      return { base, position, offset }
    })
  })
}

/** Puts the files of `from` back as they were. */
function restore(path: string, from: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { force: true })
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(path, name))
  rmSync(join(dirname(path), '.kafka_cleanshutdown'), { force: true })
  setRecoveryPoint(path, 0)
}

async function expectPrefix(path: string, end: number): Promise<void> {
  const expected = Array.from({ length: end }, (_, n) => `v${n}`)
  const log = await openSwiftly(path)
  expect(await values(log.read())).toEqual(expected)
  expect(log.append([{ value: 'new' }]).baseOffset).toBe(BigInt(end))
  await log.close()
  const again = await openSwiftly(path)
  expect(again.recovery?.scanned ?? []).toEqual([])
  expect(await values(again.read())).toEqual([...expected, 'new'])
  await again.close()
}

it.each([0, 6])('a log file cut at any length (segment %i)', { timeout: 120_000 }, async (base) => {
  const original = await killed()
  const path = copyOf(original)
  expect(basename(path)).toBe('orders-0')
  const all = ends(original)
  const size = readFileSync(logFile(original, base)).length
  for (let length = 0; length <= size; length++) {
    restore(path, original)
    truncateSync(logFile(path, base), length)
    const before = all.filter((end) => end.base < base || (end.base === base && end.position <= length))
    const isWhole = before.at(-1)?.position === length && before.at(-1)?.base === base
    // A cut between two batches cannot be told from a gap: what lies behind stays, as in a broker.
    if (base === 0 && length > 0 && isWhole && length < size) continue
    const end = length === size && base === 0 ? all.at(-1)?.offset : before.at(-1)?.offset
    await expectPrefix(path, end ?? 0)
  }
})

it('a byte flipped, zeroed or a stretch of bytes made another', { timeout: 120_000 }, async () => {
  const original = await killed()
  const path = copyOf(original)
  const all = ends(original)
  const change = fc.record({
    base: fc.constantFrom(0, 6),
    at: fc.nat(),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 90 }),
  })
  await fc.assert(
    fc.asyncProperty(change, async ({ base, at, bytes }) => {
      restore(path, original)
      const file = readFileSync(logFile(path, base))
      const damaged = Buffer.from(file)
      const from = at % file.length
      damaged.set(bytes.subarray(0, file.length - from), from)
      writeFileSync(logFile(path, base), damaged)
      const positions = [0, ...all.filter((end) => end.base === base).map(({ position }) => position)]
      const first = damaged.findIndex((byte, position) => byte !== file[position])
      const batch = positions.findLast((position) => position <= first) as number
      // No checksum covers a batch's base offset and leader epoch: there a broker writes too.
      const isCovered =
        damaged.subarray(batch + 16).compare(file.subarray(batch + 16)) !== 0 || first >= batch + 8
      const isUncovered = first >= batch + 12 && first < batch + 16
      if (first < 0 || first < batch + 8 || isUncovered || !isCovered) return
      const end = all.filter((end) => end.base < base || (end.base === base && end.position <= batch)).at(-1)
      await expectPrefix(path, end?.offset ?? 0)
    }),
    fcOptions(120),
  )
})

it('known faults 191 and 193: anything in the indexes is made right', { timeout: 120_000 }, async () => {
  const original = await killed()
  const path = copyOf(original)
  const end = COUNTS.reduce((sum, count) => sum + count, 0)
  const garbage = fc.record({
    base: fc.constantFrom(0, 6),
    kind: fc.constantFrom('index' as const, 'timeindex' as const),
    bytes: fc.option(fc.uint8Array({ maxLength: 60 })),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(garbage, { minLength: 1, maxLength: 4 }), async (changes) => {
      restore(path, original)
      for (const { base, kind, bytes } of changes) {
        if (bytes === null) rmSync(logFile(path, base, kind), { force: true })
        else writeFileSync(logFile(path, base, kind), bytes)
      }
      await expectPrefix(path, end)
    }),
    fcOptions(40),
  )
})
