import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  sizeOfVarint,
  sizeOfVarlong,
  VarintReader,
  writeVarint,
  writeVarlong,
} from '../../lib/format/varint.js'
import { ourError } from '../support/codecs.js'
import { fcOptions } from '../support/random.js'

const INT32_MIN = -(2 ** 31)
const INT32_MAX = 2 ** 31 - 1
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n

/** As the format's description has it, in arithmetic that cannot be wrong. */
function encoded(n: bigint, bits: 32 | 64): string {
  let rest = BigInt.asUintN(bits, (n << 1n) ^ (n >> BigInt(bits - 1)))
  const bytes: number[] = []
  do {
    const group = Number(rest & 0x7fn)
    rest >>= 7n
    bytes.push(rest === 0n ? group : group | 0x80)
  } while (rest !== 0n)
  return Buffer.from(bytes).toString('hex')
}

function varint(n: number): string {
  const buffer = Buffer.alloc(8)
  return buffer.subarray(0, writeVarint(buffer, 0, n)).toString('hex')
}

function varlong(n: bigint | number): string {
  const buffer = Buffer.alloc(12)
  return buffer.subarray(0, writeVarlong(buffer, 0, n)).toString('hex')
}

function reader(hex: string): VarintReader {
  const bytes = Buffer.from(hex, 'hex')
  return new VarintReader(bytes, 0, bytes.length)
}

/** Every power of two, and its neighbours, within `bits`. */
function edges(bits: 32 | 64): bigint[] {
  const list = [0n]
  for (let bit = 0n; bit < BigInt(bits); bit++) {
    for (const near of [-1n, 0n, 1n]) list.push((1n << bit) + near, -(1n << bit) + near)
  }
  return list.filter((n) => BigInt.asIntN(bits, n) === n)
}

describe('varint', () => {
  test.each([
    [0, '00'],
    [-1, '01'],
    [1, '02'],
    [63, '7e'],
    [-64, '7f'],
    [64, '8001'],
    [-65, '8101'],
    [8191, 'fe7f'],
    [-8192, 'ff7f'],
    [8192, '808001'],
    [-1048576, 'ffff7f'],
    [134217727, 'feffff7f'],
    [134217728, '8080808001'],
    [INT32_MAX, 'feffffff0f'],
    [INT32_MIN, 'ffffffff0f'],
  ])('%i', (n, hex) => {
    expect(varint(n)).toBe(hex)
    expect(sizeOfVarint(n)).toBe(hex.length / 2)
    expect(reader(hex).readVarint()).toBe(n)
  })

  test('any int32, written, measured and read', () => {
    const check = (n: number): void => {
      const hex = encoded(BigInt(n), 32)
      expect(varint(n)).toBe(hex)
      expect(sizeOfVarint(n)).toBe(hex.length / 2)
      const read = reader(hex)
      expect(read.readVarint()).toBe(n)
      expect(read.position).toBe(hex.length / 2)
    }
    for (const n of edges(32)) check(Number(n))
    fc.assert(fc.property(fc.integer({ min: INT32_MIN, max: INT32_MAX }), check), fcOptions(2000))
  })

  test('is written where it is asked to be', () => {
    const buffer = Buffer.alloc(6, 0xee)
    expect(writeVarint(buffer, 2, 64)).toBe(4)
    expect(buffer.toString('hex')).toBe('eeee8001eeee')
  })

  test('may be longer than need be, and loses bits beyond the 32nd, as in Kafka', () => {
    expect(reader('8000').readVarint()).toBe(0)
    expect(reader('8280808000').readVarint()).toBe(1)
    expect(reader('ffffffff7f').readVarint()).toBe(INT32_MIN)
  })

  test.each(['ffffffffff', '808080808000', 'ffffffff8f01'])(
    'refuses %s, which does not end in time',
    (hex) => {
      expect(ourError(() => reader(hex).readVarint())).toMatchObject({
        name: 'InvalidBatchError',
        code: 'ERR_INVALID_BATCH',
      })
    },
  )
})

describe('varlong', () => {
  test.each([
    [0n, '00'],
    [-1n, '01'],
    [2n ** 31n, '8080808010'],
    [2n ** 53n, '80808080808080' + '20'],
    [INT64_MAX, 'feffffffffffffffff01'],
    [INT64_MIN, 'ffffffffffffffffff01'],
  ])('%i', (n, hex) => {
    expect(varlong(n)).toBe(hex)
    expect(sizeOfVarlong(n)).toBe(hex.length / 2)
    expect(reader(hex).readVarlong()).toBe(n)
  })

  test('any int64, written, measured and read', () => {
    const check = (n: bigint): void => {
      const hex = encoded(n, 64)
      expect(varlong(n)).toBe(hex)
      expect(sizeOfVarlong(n)).toBe(hex.length / 2)
      const read = reader(hex)
      expect(read.readVarlong()).toBe(n)
      expect(read.position).toBe(hex.length / 2)
      if (Number.isSafeInteger(Number(n))) {
        expect(varlong(Number(n))).toBe(hex)
        expect(sizeOfVarlong(Number(n))).toBe(hex.length / 2)
      }
    }
    for (const n of edges(64)) check(n)
    fc.assert(fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), check), fcOptions(2000))
    fc.assert(fc.property(fc.integer().map(BigInt), check), fcOptions(500))
  })

  test('a delta is a number where that is exact, else a bigint', () => {
    for (const n of edges(64)) {
      const delta = reader(encoded(n, 64)).readVarlongDelta()
      expect(BigInt(delta)).toBe(n)
      expect(typeof delta).toBe(n >= -(2n ** 53n) && n < 2n ** 53n ? 'number' : 'bigint')
      expect(Object.is(delta, -0)).toBe(false)
    }
  })

  test('may be longer than need be, and loses bits beyond the 64th, as in Kafka', () => {
    expect(reader('80808080808080808000').readVarlong()).toBe(0n)
    expect(reader('ffffffffffffffffff7f').readVarlong()).toBe(INT64_MIN)
  })

  test('refuses what does not end within 10 bytes', () => {
    const error = ourError(() => reader(`${'ff'.repeat(10)}01`).readVarlong())
    expect(error).toMatchObject({ name: 'InvalidBatchError', code: 'ERR_INVALID_BATCH' })
  })
})

describe('a cursor', () => {
  test('refuses to read beyond its end, wherever that is', () => {
    for (const hex of [encoded(-300n, 64), encoded(INT64_MIN, 64), encoded(2n ** 40n, 64)]) {
      const bytes = Buffer.from(hex, 'hex')
      for (let end = 0; end < bytes.length; end++) {
        const cut = new VarintReader(bytes, 0, end)
        expect(ourError(() => cut.readVarlong()).code).toBe('ERR_INVALID_BATCH')
        expect(ourError(() => new VarintReader(bytes, 0, end).readVarint()).code).toBe('ERR_INVALID_BATCH')
      }
    }
  })

  test('reads one after the other, and lets its ends be moved', () => {
    const bytes = Buffer.from('0001feffffff0f8001', 'hex')
    const read = new VarintReader(bytes, 1, 7)
    expect([read.readVarint(), read.readVarint()]).toEqual([-1, INT32_MAX])
    expect(() => read.readVarint()).toThrow('cut off')
    read.end = bytes.length
    expect(read.readVarlong()).toBe(64n)
    read.position = 0
    expect(read.readVarint()).toBe(0)
  })
})
