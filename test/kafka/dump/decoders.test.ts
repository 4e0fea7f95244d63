/** The decoders: records of the coordinators' topics as Kafka's own classes write them, and keys and values by class. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { encodeBatch, recordBatches } from '../../../lib/index.js'
import { jsonLines, plog } from '../../support/cli.js'
import { fcOptions } from '../../support/random.js'
import { tempDir } from '../../support/temp-dir.js'
import { damage, damaged } from './support/damage.js'
import { BACKENDS, differencesOf, KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const TOPICS = [
  { topic: 'GROUP', flag: '--offsets-decoder', types: 22 },
  { topic: 'TRANSACTION', flag: '--transaction-log-decoder', types: 1 },
] as const

const newLog = () => join(tempDir(), '00000000000000000000.log')
const seed = fc.integer({ min: 0, max: 2 ** 31 - 1 })

function writeRecords(path: string, records: readonly { key: Buffer | null; value: Buffer | null }[]): void {
  const batches = records.map((one, offset) =>
    encodeBatch([{ ...one, timestamp: 1 }], { baseOffset: offset }),
  )
  writeFileSync(path, Buffer.concat(batches))
}

describe.each(TOPICS)('$flag', ({ topic, flag, types }) => {
  it('prints each type and version of record as Kafka does', async () => {
    await fc.assert(
      fc.asyncProperty(seed, async (some) => {
        const path = newLog()
        await kafka.writeRecords(path, topic, some)
        expect(await differencesOf(kafka, path, [flag])).toEqual([])
        expect(await differencesOf(kafka, path, [flag, '--skip-record-metadata'])).toEqual([])
        const { stdout } = await ourDump(['--files', path, flag], 'portable')
        const text = stdout.toString()
        expect(text).not.toContain(', skipping.')
        expect(new Set(text.match(/key: \{"type":"\d+"/g)).size).toBe(types)
      }),
      fcOptions(4),
    )
  })

  it('prints the same of keys and values that are damaged', async () => {
    const faults = fc.array(fc.array(damage, { maxLength: 2 }), { minLength: 8, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(seed, faults, async (some, changes) => {
        const path = newLog()
        await kafka.writeRecords(path, topic, some)
        const records = [...recordBatches(readFileSync(path))].flatMap((batch) => [...batch.records()])
        writeRecords(
          path,
          records.map(({ key, value }, n) => ({
            key: key && damaged(key, changes[n % 4] ?? []),
            value: value && damaged(value, changes[4 + (n % 4)] ?? []),
          })),
        )
        expect(await differencesOf(kafka, path, [flag])).toEqual([])
      }),
      fcOptions(6),
    )
  })

  it('ends the line of a record without a key, and goes on where Kafka ends', async () => {
    const path = newLog()
    const known = Buffer.from([0, 0, 0, 0])
    writeRecords(path, [
      { key: known, value: null },
      { key: null, value: known },
      { key: known, value: null },
    ])
    expect(await differencesOf(kafka, path, [flag])).toEqual([])
    const { stdout, stderr, exitCode } = await ourDump(['--files', path, flag], 'portable')
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^plog: ERR_CORRUPT: .* the record at offset 1: it has no key/m)
    expect(stdout.toString().match(/^\| offset: /gm)).toHaveLength(3)
  })
})

it('gives decoded records as JSON, and the bytes of those that are none', async () => {
  const path = newLog()
  writeRecords(path, [
    {
      key: Buffer.from('0001000167000174000000ff', 'hex'),
      value: Buffer.from(`0003${'7f'.repeat(8)}00000005000000000000000000ff`, 'hex'),
    },
    { key: Buffer.from('0001000167000174000000ff', 'hex'), value: null },
    { key: Buffer.from('7fff', 'hex'), value: Buffer.from('x') },
  ])
  const records = jsonLines(await plog(['dump', '--json', '--offsets-decoder', path])).filter(
    ({ type }) => type === 'record',
  )
  const key = { type: '1', data: { group: 'g', topic: 't', partition: 255 } }
  const data = { offset: '9187201950435737471', leaderEpoch: 5, metadata: '', commitTimestamp: '255' }
  expect(records).toMatchObject([
    { key, value: { version: '3', data } },
    { key, value: null },
    { key: { base64: 'f/8=' }, value: 'x', undecoded: expect.stringContaining('32767') },
  ])
})

describe('decoder classes', () => {
  const CLASSES = ['StringDecoder', 'IntegerDecoder', 'LongDecoder'].map(
    (name) => `org.apache.kafka.tools.api.${name}`,
  )

  it('print keys and values as Kafka does', async () => {
    const bytes = fc.option(fc.uint8Array({ maxLength: 12 }).map((some) => Buffer.from(some)))
    const name = fc.constantFrom(...CLASSES)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: bytes, value: bytes })),
        name,
        name,
        async (records, keys, values) => {
          const path = newLog()
          writeRecords(path, records)
          const flags = ['--key-decoder-class', keys, '--value-decoder-class', values]
          expect(await differencesOf(kafka, path, flags)).toEqual([])
        },
      ),
      fcOptions(60),
    )
  })

  it('are Kafkas own or wrong usage, and the default where none is named', async () => {
    const path = newLog()
    writeRecords(path, [{ key: Buffer.from('k'), value: Buffer.from('v') }])
    expect(await differencesOf(kafka, path, ['--key-decoder-class'])).toEqual([])
    for (const name of ['com.example.MyDecoder', 'org.apache.kafka.tools.api.DefaultDecoder']) {
      const args = ['--files', path, '--value-decoder-class', name]
      for (const backend of BACKENDS) {
        const { stdout, stderr, exitCode } = await ourDump(args, backend)
        expect({ stdout: stdout.toString(), exitCode }).toEqual({ stdout: '', exitCode: 2 })
        expect(stderr).toContain(name)
      }
    }
    const { stdout } = await kafka.dump([
      '--files',
      path,
      '--value-decoder-class',
      'org.apache.kafka.tools.api.DefaultDecoder',
    ])
    // What a Java array prints of itself says nothing.
    expect(stdout.toString()).toMatch(/ payload: \[B@[0-9a-f]+\n$/)
  })
})
