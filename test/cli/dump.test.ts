/** `plog dump` beyond what Kafka's tool does: JSON, checkpoints, damage, and that it only reads. */
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runPlog } from '../../lib/cli/program.js'
import { encodeBatch, openLog } from '../../lib/index.js'
import { Collector, jsonLines, plog } from '../support/cli.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

const golden = resolve(import.meta.dirname, '../golden')
const broker = join(golden, 'broker-4.4.0')
const firstLog = '00000000000000000000.log'

describe('dump', () => {
  it('goes on after a file that is not there, and after one that is damaged', async () => {
    const files = [
      join(golden, 'nowhere-0', firstLog),
      join(golden, 'damaged/zeros-0/00000000000000000099.log'),
      join(broker, 'deleted-0', firstLog),
    ]
    const { exitCode, stdout, stderr } = await plog(['dump', ...files])
    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/^plog: ERR_IO: open failed with ENOENT .*\nplog: ERR_CORRUPT: .* position 5181: /)
    expect(stdout.toString().match(/^Dumping /gm)).toHaveLength(3)
    expect(stdout.toString()).toMatch(/baseOffset: 10 lastOffset: 14 .* isvalid: true\n$/)
  })

  it('prints JSON lines with 64-bit integers as text', async () => {
    const result = await plog(['dump', '--json', '--print-data-log', join(broker, 'txn-0', firstLog)])
    const lines = jsonLines(result)
    expect(result.exitCode).toBe(0)
    expect(lines[0]).toMatchObject({ type: 'batch', baseOffset: '0', count: 1, isValid: true, codec: 'none' })
    expect(lines[1]).toMatchObject({
      type: 'record',
      offset: '0',
      key: 'plain',
      value: 'before',
      headers: [],
    })
    expect(lines.find(({ control }) => control !== undefined)).toMatchObject({
      offset: '4',
      control: { type: 'COMMIT', coordinatorEpoch: 0 },
    })
  })

  it('tells what is amiss as JSON too', async () => {
    const index = join(golden, 'damaged/index-offset-0/00000000000000000099.index')
    const result = await plog(['dump', '--json', '--verify-index-only', index])
    expect(result.exitCode).toBe(1)
    expect(jsonLines(result)).toEqual([
      { file: index, type: 'finding', finding: 'index-mismatch', indexOffset: '115', logOffset: '116' },
    ])
    expect(result.stderr).toBe('')
    const missing = await plog(['dump', '--json', join(golden, firstLog)])
    expect(JSON.parse(missing.stderr)).toMatchObject({
      error: { code: 'ERR_IO', errno: 'ENOENT', syscall: 'open' },
    })
  })

  it('finds the batch of a time index entry that falls behind the ones before it', async () => {
    const directory = tempDir()
    for (const kind of ['log', 'index', 'timeindex'])
      cpSync(
        join(broker, `segments-0/00000000000000000099.${kind}`),
        join(directory, `00000000000000000099.${kind}`),
      )
    const path = join(directory, '00000000000000000099.timeindex')
    const bytes = readFileSync(path)
    bytes.copy(bytes, 20 * 12, 12, 24)
    writeFileSync(path, bytes)
    const result = await plog(['dump', '--json', '--verify-index-only', path])
    expect(jsonLines(result).map(({ finding }) => finding)).toEqual(['timestamp-order'])
  })

  it('prints checkpoints', async () => {
    const files = [
      'recovery-point-offset-checkpoint',
      'txn-0/leader-epoch-checkpoint',
      'txn-0/partition.metadata',
    ]
    const { exitCode, stdout } = await plog(['dump', ...files.map((file) => join(broker, file))])
    expect(exitCode).toBe(0)
    expect(stdout.toString()).toContain('topic: segments partition: 0 offset: 375\n')
    expect(stdout.toString()).toContain('epoch: 0 startOffset: 0\nepoch: 2 startOffset: 23\n')
    expect(stdout.toString()).toMatch(/topicId: [\w-]{22}\n$/)
  })

  it('takes files that a deletion or a cleaning has renamed', async () => {
    const directory = tempDir()
    for (const kind of ['log', 'index', 'timeindex'])
      cpSync(
        join(broker, 'deleted-0', `00000000000000000000.${kind}`),
        join(directory, `00000000000000000000.${kind}.deleted`),
      )
    const { exitCode, stdout } = await plog([
      'dump',
      join(directory, '00000000000000000000.timeindex.deleted'),
    ])
    expect(exitCode).toBe(0)
    expect(stdout.toString()).toContain('timestamp: 1700000000002 offset: 14\n')
  })

  it('changes and makes nothing', async () => {
    const directory = join(tempDir(), 'copy')
    cpSync(join(broker, 'txn-0'), directory, { recursive: true })
    const state = () => readdirSync(directory).map((name) => [name, statSync(join(directory, name)).mtimeMs])
    const before = state()
    await plog(['dump', '--print-data-log', ...readdirSync(directory).map((name) => join(directory, name))])
    await plog(['dump', join(directory, '00000000000000000099.timeindex')])
    expect(state()).toEqual(before)
  })

  it('takes the zeros of an index that has no entry for none', async () => {
    const log = await openLog(join(tempDir(), 'live-0'))
    try {
      for (let n = 0; n < 3; n++) log.append([{ value: 'v', timestamp: 1_000 }, { value: 'w' }])
      const files = ['log', 'index', 'timeindex'].map((kind) => join(log.path, firstLog.replace('log', kind)))
      const { exitCode, stdout, stderr } = await plog(['dump', ...files])
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(stdout.toString()).toContain('offset: 0 position: 0\n')
    } finally {
      await log.close()
    }
  })

  it('prints the records before the first that cannot be read', async () => {
    const { path } = damagedFirstBatch((bytes) => bytes.writeInt32BE(2 ** 31 - 1, 57))
    const { stdout, stderr } = await plog(['dump', '--deep-iteration', path])
    const [first, ...rest] = stdout.toString().split('\nbaseOffset: ').slice(1)
    expect(first?.match(/^\| offset: /gm)).toHaveLength(3)
    expect(rest.length).toBeGreaterThan(10)
    expect(stderr).toMatch(/^plog: ERR_CORRUPT: .* position 0: /)
  })

  it('tells of no more than ten thousand mismatches of a file', async () => {
    const path = join(tempDir(), '00000000000000000000.index')
    cpSync(join(broker, 'deleted-0', firstLog), path.replace(/index$/, 'log'))
    const entries = Buffer.alloc(8 * 10_050)
    for (let n = 0; n < 10_050; n++) entries.writeInt32BE(n + 1, n * 8)
    writeFileSync(path, entries)
    const { exitCode, stderr } = await plog(['dump', '--verify-index-only', path])
    const lines = stderr.split('\n').slice(0, -1)
    expect(exitCode).toBe(1)
    expect(lines).toHaveLength(10_002)
    // The entry that is right is none of them.
    expect([lines[1], lines.at(-2), lines.at(-1)]).toEqual([
      '  Index offset: 10001, log offset: 4',
      '  Index offset: 1, log offset: 4',
      '  and 49 more',
    ])
  })

  it('waits for a reader that is slow, once at a time', async () => {
    const path = join(tempDir(), firstLog)
    const record = { key: 'k'.repeat(70_000), value: 'v'.repeat(70_000), timestamp: 1 }
    writeFileSync(path, encodeBatch(Array.from({ length: 20 }, () => record)))
    const waiting: number[] = []
    const stdout = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        waiting.push(this.listenerCount('drain'))
        setImmediate(done)
      },
    })
    const stderr = new Collector()
    const io = {
      stdin: Readable.from([]),
      stdinBytes: undefined,
      env: {},
      onInterrupt: () => () => undefined,
    }
    expect(await runPlog(['dump', '--print-data-log', path], { ...io, stdout, stderr })).toBe(0)
    expect(waiting.length).toBeGreaterThan(40)
    expect(Math.max(...waiting)).toBeLessThanOrEqual(1)
    expect(stderr.bytes.toString()).toBe('')
  })

  it('adds the files of a second --files to the first', async () => {
    const [a, b] = [join(broker, 'deleted-0', firstLog), join(broker, 'empty-0', firstLog)]
    const { stdout } = await plog(['dump', '--files', a, '--files', b])
    expect(stdout.toString().match(/^Dumping .*/gm)).toEqual([`Dumping ${a}`, `Dumping ${b}`])
  })

  it('known fault 176: tells of a codec that is not known, and goes on', async () => {
    const directory = tempDir()
    const bytes = readFileSync(join(broker, 'deleted-0', firstLog))
    bytes[22] = 7
    writeFileSync(join(directory, firstLog), bytes)
    const { exitCode, stdout, stderr } = await plog(['dump', '--deep-iteration', join(directory, firstLog)])
    expect(exitCode).toBe(1)
    expect(stdout.toString()).toContain('compresscodec: unknown(7)')
    expect(stdout.toString()).toContain('| offset: 14 ')
    expect(stderr).toContain('plog: ERR_UNSUPPORTED: ')
  })

  /** Copy of a log with the first batch changed; the size of that batch. */
  function damagedFirstBatch(change: (bytes: Buffer) => void) {
    const bytes = readFileSync(join(broker, 'segments-0/00000000000000000297.log'))
    const sizeInBytes = 12 + bytes.readInt32BE(8)
    change(bytes)
    const path = join(tempDir(), '00000000000000000297.log')
    writeFileSync(path, bytes)
    return { path, sizeInBytes }
  }

  it.each<[string, (bytes: Buffer) => void]>([
    ['a magic that is none', (bytes) => bytes.writeInt8(9, 16)],
    ['a negative magic', (bytes) => bytes.writeInt8(-1, 16)],
    ['a last offset below its first', (bytes) => bytes.writeInt32BE(-5, 23)],
    ['a last sequence below its first', (bytes) => bytes.writeInt32BE(5, 53) && bytes.writeInt32BE(-9, 23)],
    ['a count that cannot be', (bytes) => bytes.writeInt32BE(2 ** 31 - 1, 57)],
    ['the magic of an older format', (bytes) => bytes.writeInt8(1, 16)],
  ])('goes on behind a batch whose header has %s', async (_, change) => {
    const { path, sizeInBytes } = damagedFirstBatch(change)
    for (const flags of [[], ['--deep-iteration']]) {
      const text = await plog(['dump', path, ...flags])
      expect(text.exitCode).toBe(1)
      const [first, second] = text.stdout.toString().match(/.* isvalid: (true|false)$/gm) ?? []
      expect(first).toMatch(
        new RegExp(`^(baseOffset|offset): 297 .*position: 0 .*size: ${sizeInBytes} .*false$`),
      )
      expect(second).toMatch(new RegExp(`^baseOffset: 300 .* position: ${sizeInBytes} .* isvalid: true$`))
      const json = await plog(['dump', '--json', path, ...flags])
      expect(json.exitCode).toBe(1)
      const batches = jsonLines(json).filter(({ type }) => type === 'batch')
      expect(batches[0]).toMatchObject({ file: path, position: 0, sizeInBytes, isValid: false })
      expect(batches[1]).toMatchObject({ position: sizeInBytes, isValid: true, baseOffset: '300' })
    }
  })

  it('says of a header that cannot be one what is wrong with it', async () => {
    const { path, sizeInBytes } = damagedFirstBatch((bytes) => bytes.writeInt8(9, 16))
    const { stdout, stderr } = await plog(['dump', path])
    expect(stdout.toString()).toContain(
      `\nbaseOffset: 297 position: 0 size: ${sizeInBytes} magic: 9 isvalid: false\nbaseOffset: 300 `,
    )
    expect(stderr).toMatch(/^plog: ERR_CORRUPT: .* position 0: unknown magic 9.*\n$/)
  })

  it('answers in the form asked for where a path is no file of a log', async () => {
    const directory = tempDir()
    const unknown = join(directory, 'notes.txt')
    writeFileSync(unknown, '')
    const missing = join(directory, 'missing.txt')
    const asked = [
      { path: unknown, exitCode: 2, code: 'ERR_USAGE' },
      { path: directory, exitCode: 2, code: 'ERR_USAGE' },
      { path: missing, exitCode: 2, code: 'ERR_USAGE' },
    ]
    for (const { path, exitCode, code } of asked) {
      const json = await plog(['dump', '--json', path])
      expect({ exitCode: json.exitCode, stdout: json.stdout.toString() }).toEqual({ exitCode, stdout: '' })
      expect(JSON.parse(json.stderr)).toMatchObject({
        error: { code, message: expect.stringContaining(path) },
      })
      expect((await plog(['dump', path])).exitCode).toBe(exitCode)
    }
    const named = join(directory, firstLog)
    mkdirSync(named)
    expect((await plog(['dump', named])).exitCode).toBe(2)
  })

  it('ends, with a foreseen answer, whatever the bytes are', async () => {
    const sources = [
      'segments-0/00000000000000000297.log',
      'codecs-0/00000000000000000000.log',
      'txn-0/00000000000000000000.log',
    ]
      .map((name) => readFileSync(join(broker, name)).subarray(0, 4000))
      .concat(readFileSync(join(golden, 'legacy/mixed-0', firstLog)))
    const directory = join(tempDir(), 'fuzz-0')
    mkdirSync(directory)
    const path = (kind: string) => join(directory, `00000000000000000000.${kind}`)
    const damaged = fc.tuple(
      fc.constantFrom(...sources),
      fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.integer({ min: 0, max: 255 })), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.array(fc.uint8Array({ minLength: 0, maxLength: 80 }), { minLength: 4, maxLength: 4 }),
    )
    await fc.assert(
      fc.asyncProperty(damaged, async ([source, changes, small]) => {
        const bytes = Buffer.from(source)
        for (const [where, value] of changes) bytes[Math.floor(where * bytes.length)] = value
        writeFileSync(path('log'), bytes)
        for (const [index, kind] of ['index', 'timeindex', 'txnindex', 'snapshot'].entries())
          writeFileSync(path(kind), small[index] as Uint8Array)
        const kinds = ['log', 'index', 'timeindex', 'txnindex', 'snapshot'].map(path)
        const { exitCode, stderr } = await plog(['dump', '--print-data-log', ...kinds])
        expect([0, 1]).toContain(exitCode)
        expect(stderr).not.toMatch(/^ +at /m)
      }),
      fcOptions(60),
    )
  })
})
