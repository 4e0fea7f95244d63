/** `plog append`: what lines and JSON become, batch by batch. */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_LINE_BYTES, splitLines } from '../../lib/cli/append/lines.js'
import { openLog } from '../../lib/index.js'
import { jsonLines, plog } from '../support/cli.js'
import { collect, testLog } from '../support/log.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

const newLog = () => join(tempDir(), 'orders-0')

async function recordsOf(path: string) {
  const log = await openLog(path, { readOnly: true })
  const records = await collect(log.read())
  await log.close()
  return records.map(({ key, value }) => [key?.toString() ?? null, value?.toString() ?? null])
}

async function batchesOf(path: string) {
  const log = await openLog(path, { readOnly: true })
  const batches = await collect(log.read().batches())
  await log.close()
  return batches.map(
    ({ count, codec, maxTimestamp, producerId, producerEpoch, baseSequence, lastSequence }) => {
      return { count, codec, maxTimestamp, producerId, producerEpoch, baseSequence, lastSequence }
    },
  )
}

describe('lines', () => {
  it('become values; empty lines are records, and the last line needs no end', async () => {
    const path = newLog()
    const { exitCode, stderr, stdout } = await plog(['append', path], 'a\n\nb:c')
    expect({ exitCode, stderr, stdout: stdout.toString() }).toEqual({
      exitCode: 0,
      stderr: 'appended 3 records in 2 batches to orders-0: offsets 0 to 2\n',
      stdout: '',
    })
    expect(await recordsOf(path)).toEqual([
      [null, 'a'],
      [null, ''],
      [null, 'b:c'],
    ])
  })

  it('are split at the first separator, and the marker is null', async () => {
    const path = newLog()
    await plog(
      ['append', path, '--key-separator', '::', '--null-marker', 'NULL'],
      'k::v::w\nNULL::v\nk::NULL\n::\n',
    )
    expect(await recordsOf(path)).toEqual([
      ['k', 'v::w'],
      [null, 'v'],
      ['k', null],
      ['', ''],
    ])
  })

  it('may end as Windows has them, as for kafka-console-producer', async () => {
    const path = newLog()
    await plog(['append', path], 'a\r\nb\rc\r\n')
    expect(await recordsOf(path)).toEqual([
      [null, 'a'],
      [null, 'b\rc'],
    ])
  })

  it('without the separator are refused with their number; the lines before are appended', async () => {
    const path = newLog()
    const { exitCode, stderr } = await plog(
      ['append', path, '--key-separator', ':', '--batch-records', '2'],
      [Buffer.from('a:1\n'), Buffer.from('b:2\nc:3\nd4\ne:5\n')],
    )
    expect(exitCode).toBe(2)
    expect(stderr).toBe(
      'appended 3 records in 2 batches to orders-0: offsets 0 to 2\nplog: ERR_USAGE: line 4 of the input has no key separator ":"\n',
    )
    expect(await recordsOf(path)).toHaveLength(3)
  })

  it('are the same however the input is cut', async () => {
    const lines = fc.array(fc.constantFrom('', 'a', 'bc', '\r', 'd\r', 'longer line'), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.boolean(),
        fc.array(fc.nat(30), { maxLength: 5 }),
        async (some, ended, cuts) => {
          const text = some.join('\n') + (ended ? '\n' : '')
          const edges = [
            0,
            ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b),
            text.length,
          ]
          const chunks = edges.slice(1).map((edge, index) => Buffer.from(text.slice(edges[index], edge)))
          const input = Readable.from(
            chunks.filter(({ length }) => length > 0),
            { objectMode: false },
          )
          const split = (await collect(splitLines(input, () => false))).flat().map(String)
          const expected = text.split('\n')
          if (expected.at(-1) === '') expected.pop()
          expect(split).toEqual(expected.map((line) => line.replace(/\r$/, '')))
        },
      ),
      fcOptions(200),
    )
  })

  it('of any length are not gathered without end', async () => {
    const piece = Buffer.alloc(1 << 22, 'x')
    const input = Readable.from(
      (function* () {
        for (;;) yield piece
      })(),
      { objectMode: false },
    )
    await expect(collect(splitLines(input, () => false))).rejects.toThrow(
      `line 1 of the input is longer than ${MAX_LINE_BYTES} bytes`,
    )
  })
})

describe('batches', () => {
  it('have so many records, and times a step apart', async () => {
    const path = newLog()
    const flags = ['--batch-records', '3', '--timestamp', '1000+5', '--compression', 'gzip']
    await plog(['append', path, ...flags], [Buffer.from('1\n2\n3\n4\n'), Buffer.from('5\n6\n7\n')])
    expect(await batchesOf(path)).toMatchObject([
      { count: 3, codec: 'gzip', maxTimestamp: 1000n },
      { count: 3, codec: 'gzip', maxTimestamp: 1005n },
      { count: 1, codec: 'gzip', maxTimestamp: 1010n },
    ])
  })

  it('hold what came at once up to 16 KiB where nothing is said', async () => {
    const path = newLog()
    await plog(['append', path], [Buffer.from(`${'x'.repeat(6000)}\n`.repeat(5)), Buffer.from('y\n')])
    expect((await batchesOf(path)).map(({ count }) => count)).toEqual([2, 2, 1, 1])
  })

  it('may be left to time', async () => {
    const path = newLog()
    const { exitCode, stderr } = await plog(
      ['append', path, '--linger-ms', '0', '--timestamp', '7', '--durable'],
      'a\nb\n',
    )
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: 'appended 2 records to orders-0: offsets 0 to 1\n',
    })
    expect(await batchesOf(path)).toMatchObject([{ count: 2, maxTimestamp: 7n }])
  })

  it('that are refused end the input, and what was before them stays', async () => {
    const path = newLog()
    const args = ['append', path, '--config', 'max.message.bytes=200']
    for (const flags of [
      ['--batch-records', '1'],
      ['--linger-ms', '1'],
    ]) {
      const { exitCode, stderr } = await plog([...args, ...flags], `a\n${'b'.repeat(300)}\nc\n`)
      expect(exitCode).toBe(2)
      expect(stderr).toContain('plog: ERR_BATCH_TOO_LARGE: ')
    }
    expect((await recordsOf(path))[0]).toEqual([null, 'a'])
  })

  it('of a producer go on from its last one, over other segments, codecs and the wrap', async () => {
    const path = newLog()
    const log = await testLog({ path })
    const producer = { id: 7, epoch: 2, baseSequence: 2_147_483_645 }
    log.append([{ value: 'a' }, { value: 'b' }], { producer, compression: 'none' })
    log.append([{ value: 'other' }], { producer: { id: 8, epoch: 0, baseSequence: 40 } })
    log.roll()
    log.append([{ value: 'plain' }])
    await log.close()
    await plog(['append', path, '--producer-id', '7', '--batch-records', '2'], 'c\nd\ne\n')
    expect((await batchesOf(path)).slice(-2)).toMatchObject([
      { producerId: 7n, producerEpoch: 2, baseSequence: 2_147_483_647, lastSequence: 0 },
      { producerId: 7n, producerEpoch: 2, baseSequence: 1, lastSequence: 1 },
    ])
    await plog(['append', path, '--producer-id', '9'], 'f\n')
    expect((await batchesOf(path)).at(-1)).toMatchObject({
      producerId: 9n,
      producerEpoch: 0,
      baseSequence: 0,
    })
  })
})

describe('a producer of transactions', () => {
  it('goes on in the epoch of its last marker, at sequence 0', async () => {
    const directory = tempDir()
    const path = join(directory, 'txn-0')
    cpSync(resolve(import.meta.dirname, '../golden/broker-4.4.0/txn-0'), path, { recursive: true })
    writeFileSync(join(directory, '.kafka_cleanshutdown'), '')
    expect((await plog(['append', path, '--producer-id', '8'], 'a\n')).exitCode).toBe(0)
    expect((await batchesOf(path)).at(-1)).toMatchObject({
      producerId: 8n,
      producerEpoch: 4,
      baseSequence: 0,
    })
  })
})

describe('JSON', () => {
  it('that was read appends the same records', async () => {
    const bytes = fc.option(
      fc.oneof(
        fc.string().map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 20 }).map((some) => Buffer.from(some)),
      ),
    )
    const record = fc.record({
      key: bytes,
      value: bytes,
      headers: fc.array(fc.record({ key: fc.string({ maxLength: 5 }), value: bytes }), { maxLength: 3 }),
      timestamp: fc.integer({ min: 0, max: 1_000_000 }).map(BigInt),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(record, { minLength: 1, maxLength: 20 }), async (records) => {
        const [from, to] = [newLog(), newLog()]
        const log = await openLog(from)
        log.append(records)
        await log.close()
        const read = await plog(['read', from, '--json'])
        expect((await plog(['append', to, '--input', 'json'], read.stdout)).exitCode).toBe(0)
        const again = await plog(['read', to, '--json'])
        expect(again.stdout.equals(read.stdout)).toBe(true)
        for (const path of [from, to]) rmSync(join(path, '..'), { recursive: true })
      }),
      fcOptions(4),
    )
  })

  it('that is no record is refused with its line', async () => {
    const wrong = [
      '{',
      '[]',
      '{"key":1,"value":""}',
      '{"key":"k"}',
      '{"value":{"base64":"@"}}',
      '{"value":"","headers":{}}',
      '{"value":"","headers":[{"value":""}]}',
      '{"value":"","timestamp":"yesterday"}',
    ]
    for (const line of wrong) {
      const { exitCode, stderr } = await plog(
        ['append', newLog(), '--input', 'json'],
        `{"value":"v"}\n${line}\n`,
      )
      expect([line, exitCode]).toEqual([line, 2])
      expect(stderr).toMatch(/plog: ERR_USAGE: line 2 of the input/)
    }
  })

  it('is what the summary is with --json', async () => {
    expect(jsonLines(await plog(['append', newLog(), '--json'], 'a\nb\n'))).toEqual([
      { log: 'orders-0', records: 2, batches: 1, baseOffset: '0', lastOffset: '1' },
    ])
  })
})

describe('the log', () => {
  it('is made with its settings, also without input, and keeps them', async () => {
    const path = newLog()
    const args = ['append', path, '--config', 'segment.bytes=1048576', '--config', 'compression.type=zstd']
    expect((await plog(args)).stderr).toBe('appended 0 records in 0 batches to orders-0\n')
    expect(readdirSync(path)).toContain('00000000000000000000.log')
    await plog(['append', path], 'a\n')
    expect(await batchesOf(path)).toMatchObject([{ codec: 'zstd' }])
    const other = await plog(['append', path, '--config', 'segment.bytes=2097152'], 'b\n')
    expect(other.exitCode).toBe(2)
    expect(other.stderr).toMatch(/^plog: ERR_CONFIG_MISMATCH: /)
    const unknown = await plog(['append', path, '--config', 'segment.size=1'])
    expect([unknown.exitCode, unknown.stderr]).toEqual([
      2,
      'plog: ERR_CONFIG_INVALID: unknown setting segment.size\n',
    ])
  })

  it('is not touched while another holds it; one that was not closed cleanly is recovered', async () => {
    const path = newLog()
    const held = await testLog({ path })
    expect((await plog(['append', path], 'a\n')).stderr).toMatch(/^plog: ERR_LOCKED: /)
    expect((await plog(['append', path], 'a\n')).exitCode).toBe(3)
    held.append([{ value: 'v' }])
    await held.close()
    rmSync(join(path, '../.kafka_cleanshutdown'))
    const again = await plog(['append', path], 'a\n')
    expect(again.exitCode).toBe(0)
    const log = await testLog({ path })
    expect([log.offsets.logEndOffset, log.recovery]).toEqual([2n, null])
  })

  it.each([
    [['append']],
    [['append', 'not a log name']],
    [['append', 'x-0', '--batch-records', '0']],
    [['append', 'x-0', '--batch-records', '2', '--linger-ms', '5']],
    [['append', 'x-0', '--linger-ms', '5', '--timestamp', '1+1']],
    [['append', 'x-0', '--timestamp', 'now']],
    [['append', 'x-0', '--compression', 'brotli']],
    [['append', 'x-0', '--config', 'retention.ms']],
    [['append', 'x-0', '--input', 'csv']],
    [['append', 'x-0', '--input', 'json', '--key-separator', ':']],
    [['append', 'x-0', '--key-separator', '']],
    [['append', 'x-0', 'y-0']],
  ])('is not made by wrong usage: %j', async (args) => {
    const directory = tempDir()
    const [command = '', path, ...rest] = args
    const { exitCode, stderr } = await plog([
      command,
      ...(path === undefined ? [] : [join(directory, path)]),
      ...rest,
    ])
    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/^plog: ERR_/)
    expect(readdirSync(directory)).toEqual([])
  })
})
