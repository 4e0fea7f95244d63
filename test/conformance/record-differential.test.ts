/** Records and maps through both backends: the same answers, rows and bytes, whatever the bytes and rows say. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Backend } from '../../lib/backend/contract.js'
import type { RecordColumns, TimestampMove } from '../../lib/backend/record-kernel.js'
import { bothBackends } from '../support/backend.js'
import { fcOptions } from '../support/random.js'
import { rawRecord, rawRecords } from '../support/record-bytes.js'

const ROWS = 16

/** A byte at `at` (per mille of the length) becomes another, or the bytes end there. */
const damage = fc.record({
  at: fc.nat(999),
  byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
  cut: fc.nat(9).map((n) => n === 0),
})

const lies = fc.record({
  row: fc.nat(ROWS - 1),
  column: fc.constantFrom(
    'positions' as const,
    'ends' as const,
    'keyPositions' as const,
    'keySizes' as const,
    'offsets' as const,
  ),
  value: fc.oneof(fc.integer({ min: -3, max: 300 }), fc.constantFrom(-(2 ** 31), 2 ** 31 - 1)),
})

const move: fc.Arbitrary<TimestampMove> = fc.oneof(
  fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((shift) => ({ shift })),
  fc.bigInt(-500n, 500n).map((delta) => ({ delta })),
)

const batches = fc.record({
  list: fc.array(rawRecords, { maxLength: ROWS }),
  damages: fc.array(damage, { maxLength: 3 }),
  extra: fc.constantFrom(0, 0, 0, 1, -1),
  gap: fc.nat(5),
  baseOffset: fc.oneof(fc.bigInt(0n, 50n), fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
})

const runs = fc.record({
  batches: fc.array(batches, { minLength: 1, maxLength: 4 }),
  lies: fc.array(lies, { maxLength: 2 }),
  keep: fc.array(fc.nat(2), { minLength: ROWS, maxLength: ROWS }),
  move,
  outSize: fc.nat(3000),
  slots: fc.integer({ min: 1, max: 40 }),
  maxSize: fc.nat(40),
  fromOffset: fc.bigInt(-5n, 60n),
  hash: fc.constantFrom('md5' as const, 'xxh3' as const),
})

type Run = typeof runs extends fc.Arbitrary<infer T> ? T : never

describe('records differential', () => {
  const backends = bothBackends()

  test.skipIf(backends.length === 0)('damaged records and rows that lie', { timeout: 300_000 }, () => {
    fc.assert(
      fc.property(runs, (run) => {
        const [native, portable] = backends.map((backend) => outcome(backend, run))
        expect(native).toEqual(portable)
      }),
      fcOptions(400),
    )
  })
})

/** All that a run answers and leaves. */
function outcome({ records }: Backend, run: Run): unknown {
  const map = records.openOffsetMap({ memoryBytes: run.slots * 24, hash: run.hash })
  const all = { from: 0, count: ROWS }
  try {
    return run.batches.map((batch) => {
      const bytes = bytesOf(batch)
      const columns = records.columns(ROWS)
      const count = Math.max(0, Math.min(ROWS, batch.list.length + batch.extra))
      const start = Math.min(batch.gap, bytes.length)
      const region = { bytes, start, end: bytes.length, count, baseOffset: batch.baseOffset }
      const parsed = records.parse(region, columns, 0)
      // Rows that do not count hold what was read before the damage: not the same in both.
      const rows = parsed === -1 ? seen(columns) : null
      const known = parsed === -1 ? columns : records.columns(ROWS)
      for (const { row, column, value } of run.lies) {
        if (column === 'offsets') known.offsets[row] = BigInt(value)
        else known[column][row] = value
      }
      known.keep.set(run.keep)
      const out = Buffer.alloc(run.outSize)
      const copied = answer(() => records.copy(bytes, known, all, run.move, out, run.outSize >> 3))
      const maxSize = Math.min(run.maxSize, run.slots - 1)
      const put = answer(() => map.put(bytes, known, all, run.fromOffset, maxSize))
      const marked = answer(() => map.markSuperseded(bytes, known, all))
      const written = typeof copied === 'number' && copied >= 0 ? out.toString('hex') : null
      const left = [...known.superseded, known.largestTimestampDelta[0]]
      return { parsed, rows, copied, put, marked, written, left, size: map.size }
    })
  } finally {
    map.close()
  }
}

function bytesOf(batch: Run['batches'][number]): Buffer {
  let bytes = Buffer.concat([Buffer.alloc(batch.gap), ...batch.list.map(rawRecord)])
  for (const { at, byte, cut } of batch.damages) {
    const position = Math.floor((bytes.length * at) / 1000)
    if (cut) bytes = bytes.subarray(0, position)
    else if (bytes.length > 0) bytes[position] = byte
  }
  return bytes
}

function answer(call: () => unknown): unknown {
  try {
    return call()
  } catch (error) {
    const { name, code, message } = error as Record<string, unknown>
    if (code === undefined) throw error
    return { name, code, message }
  }
}

function seen({ offsets, timestampDeltas, ...columns }: RecordColumns): unknown {
  const { positions, ends, keyPositions, keySizes, valueSizes } = columns
  const narrow = [positions, ends, keyPositions, keySizes, valueSizes].map((column) => [...column])
  return [[...offsets], [...timestampDeltas], ...narrow]
}
