import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { InvalidBatchError } from '../../lib/errors.js'
import { recordBatches } from '../../lib/format/batches.js'
import { parseControlKey, parseEndTransactionMarker } from '../../lib/format/control-record.js'

const golden = resolve(import.meta.dirname, '../golden')
const FILES = [
  'broker-4.4.0/txn-0/00000000000000000000.log',
  'broker-4.4.0/txn-0/00000000000000000017.log',
  'broker-4.4.0/opentxn-0/00000000000000000000.log',
  'control/kraft-0/00000000000000000000.log',
  'encode/marker-commit.bin',
  'encode/marker-abort.bin',
  'encode/marker-no-coordinator.bin',
  'encode/marker-largest.bin',
]

function controlsOf(file: string) {
  const found: { type: string; coordinatorEpoch: number | null }[] = []
  for (const batch of recordBatches(readFileSync(join(golden, file)))) {
    if (!batch.isControl) continue
    for (const { key, value } of batch.records()) {
      const { type } = parseControlKey(key)
      const isMarker = type === 'ABORT' || type === 'COMMIT'
      found.push({
        type,
        coordinatorEpoch: isMarker ? parseEndTransactionMarker(value).coordinatorEpoch : null,
      })
    }
  }
  return found
}

function expectedOf(file: string) {
  const batches: { records: { control?: object }[] }[] = JSON.parse(
    readFileSync(join(golden, 'expected', `${file}.json`), 'utf8'),
  )
  return batches.flatMap(({ records }) =>
    records.flatMap(({ control }) => (control === undefined ? [] : [control])),
  )
}

describe('control records', () => {
  it.each(FILES)('are what Kafka reads in %s', (file) => {
    const expected = expectedOf(file)
    expect(expected.length).toBeGreaterThan(0)
    expect(controlsOf(file)).toEqual(expected)
  })

  it('of an unknown type are neither commit nor abort', () => {
    expect(parseControlKey(Buffer.from('00000007', 'hex'))).toEqual({
      version: 0,
      typeId: 7,
      type: 'UNKNOWN',
    })
    expect(parseControlKey(Buffer.from('0000ffff', 'hex'))).toEqual({
      version: 0,
      typeId: -1,
      type: 'UNKNOWN',
    })
  })

  it('of a newer version are read as far as they are known', () => {
    expect(parseControlKey(Buffer.from('0005000100', 'hex'))).toMatchObject({ version: 5, type: 'COMMIT' })
    expect(parseEndTransactionMarker(Buffer.from('000900000007aabb', 'hex'))).toEqual({
      version: 9,
      coordinatorEpoch: 7,
    })
  })

  it('that are cut short or of a negative version are refused', () => {
    for (const key of [null, Buffer.alloc(3), Buffer.from('ffff0000', 'hex')])
      expect(() => parseControlKey(key)).toThrow(InvalidBatchError)
    for (const value of [null, Buffer.alloc(5), Buffer.from('ffff00000000', 'hex')])
      expect(() => parseEndTransactionMarker(value)).toThrow(InvalidBatchError)
  })
})
