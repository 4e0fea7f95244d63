/** The small text files of a log and its directory: Kafka's own, read and written, and every way to be malformed. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newTopicId } from '../../lib/base/entropy.js'
import { INT32_MAX, INT64_MAX } from '../../lib/base/int64.js'
import { formatLeaderEpochs, parseLeaderEpochs } from '../../lib/checkpoint/leader-epoch-checkpoint.js'
import { formatLogProperties, parseLogProperties } from '../../lib/checkpoint/log-properties.js'
import { formatOffsetCheckpoint, parseOffsetCheckpoint } from '../../lib/checkpoint/offset-checkpoint.js'
import { formatPartitionMetadata, parsePartitionMetadata } from '../../lib/checkpoint/partition-metadata.js'
import { resolveLogConfig } from '../../lib/config/log-config.js'
import { GOLDEN } from '../support/golden.js'
import { seededEntropy } from '../support/machine.js'
import { fcOptions } from '../support/random.js'

const BROKER = join(GOLDEN, 'broker-4.4.0')
const inLogs = (name: string) =>
  readdirSync(BROKER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readFileSync(join(BROKER, entry.name, name), 'utf8'))

/** That a text is refused with its file, and with the line where one is to blame. */
function refuses(parse: (path: string, text: string) => unknown, text: string, line?: number): void {
  const message =
    line === undefined ? expect.stringContaining('FILE') : expect.stringContaining(`line ${line}`)
  expect(() => parse('FILE', text)).toThrow(
    expect.objectContaining({ code: 'ERR_CORRUPT', path: 'FILE', message }),
  )
}

describe('offset checkpoints', () => {
  const names = ['recovery-point', 'log-start', 'replication', 'cleaner'].map(
    (name) => `${name}-offset-checkpoint`,
  )

  it.each(names)("%s: a broker's comes back byte for byte", (name) => {
    const text = readFileSync(join(BROKER, name), 'utf8')
    expect(formatOffsetCheckpoint(parseOffsetCheckpoint(name, text))).toBe(text)
  })

  it('keep any topic and offset', () => {
    const entry = fc.tuple(
      fc.stringMatching(/^[a-zA-Z0-9._-]{1,30}$/),
      fc.nat(INT32_MAX),
      fc.bigInt(0n, INT64_MAX),
    )
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const offsets = new Map(
          entries.map(([topic, partition, offset]) => [`${topic}-${partition}`, offset]),
        )
        expect(parseOffsetCheckpoint('FILE', formatOffsetCheckpoint(offsets))).toEqual(offsets)
      }),
      fcOptions(100),
    )
  })

  it('may be empty, without a last newline, with \\r\\n, and hold an offset of -1', () => {
    for (const text of ['', '0\n0\n', '0\n0']) expect(parseOffsetCheckpoint('FILE', text).size).toBe(0)
    for (const text of ['0\n1\na 0 -1', '0\r\n1\r\na 0 -1\r\n']) {
      expect(parseOffsetCheckpoint('FILE', text)).toEqual(new Map([['a-0', -1n]]))
    }
  })

  it.each<[string, number]>([
    ['abc', 1],
    ['1\n0\n', 1],
    ['\n', 1],
    ['0\n', 2],
    ['0\n\n', 2],
    ['0\n-1\n', 2],
    ['0\nx\n', 2],
    ['0\n2\na 0 1\n', 2],
    ['0\n0\na 0 1\n', 2],
    ['0\n1\na 0 1\n\n', 2],
    ['0\n99999999999\n', 2],
    ['0\n1\na 0\n', 3],
    ['0\n1\na 0 1 2\n', 3],
    ['0\n2\na 0 1\na 1 x\n', 4],
    ['0\n1\na -1 1\n', 3],
    ['0\n1\na 2147483648 1\n', 3],
    ['0\n1\na 0 9223372036854775808\n', 3],
    ['0\n1\na 0 -9223372036854775809\n', 3],
    ['0\n1\na 0 1.5\n', 3],
    ['\0\0\0\0\0\0', 1],
  ])('%j is refused at line %i', (text, line) => {
    refuses(parseOffsetCheckpoint, text, line)
  })
})

describe('leader epochs', () => {
  it("a broker's come back byte for byte", () => {
    for (const text of inLogs('leader-epoch-checkpoint')) {
      expect(formatLeaderEpochs(parseLeaderEpochs('FILE', text))).toBe(text)
    }
  })

  it.each<[string, number]>([
    ['abc', 1],
    ['0\n3\n0 0\n', 2],
    ['0\n1\n-1 0\n', 3],
    ['0\n1\n0 -1\n', 3],
    ['0\n1\n2147483648 0\n', 3],
    ['0\n1\n0 9223372036854775808\n', 3],
    ['0\n2\n1 0\n1 5\n', 4],
    ['0\n2\n2 0\n1 5\n', 4],
    ['0\n2\n1 5\n2 4\n', 4],
    ['0\n1\n0 0 0\n', 3],
  ])('%j is refused at line %i', (text, line) => {
    refuses(parseLeaderEpochs, text, line)
  })
})

describe('partition.metadata', () => {
  it("a broker's is 43 bytes and comes back byte for byte", () => {
    for (const text of inLogs('partition.metadata')) {
      expect(text).toHaveLength(43)
      expect(formatPartitionMetadata(parsePartitionMetadata('FILE', text))).toBe(text)
    }
  })

  it.each<[string, number]>([
    ['', 1],
    ['version: 1\ntopic_id: AAAAAAAAAAAAAAAAAAAAAA', 1],
    ['version: 0', 2],
    ['version: 0\ntopic_id: short', 2],
    ['version: 0\ntopic_id: AAAAAAAAAAAAAAAAAAAAA=', 2],
  ])('%j is refused at line %i', (text, line) => {
    refuses(parsePartitionMetadata, text, line)
  })

  it('a new topic id is a version 4 UUID that does not begin with a dash', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const id = newTopicId(seededEntropy(seed))
        expect(id).toMatch(/^[A-Za-z0-9_][A-Za-z0-9_-]{21}$/)
        const uuid = Buffer.from(id, 'base64url')
        expect([uuid.length, (uuid[6] as number) >> 4, (uuid[8] as number) >> 6]).toEqual([16, 4, 2])
      }),
      fcOptions(200),
    )
  })
})

describe('partition-log.properties', () => {
  const DEFAULTS = { config: resolveLogConfig({}), isForeign: false }

  it('keeps what differs from the defaults; nothing where nothing does', () => {
    const config = resolveLogConfig({
      segmentBytes: 1 << 20,
      cleanupPolicy: ['compact', 'delete'],
      flushMs: 5,
      retentionMs: Number.POSITIVE_INFINITY,
      minInsyncReplicas: 2,
    })
    const text = formatLogProperties({ config, isForeign: false })
    expect(text).toContain('\nretention.ms=9223372036854775807\n')
    expect(text).toContain('\nmin.insync.replicas=2\n')
    expect(parseLogProperties('FILE', text)).toEqual({ config, isForeign: false })
    const [comment, ...rest] = formatLogProperties(DEFAULTS).split('\n')
    expect(comment).toMatch(/^#/)
    expect(rest).toEqual([''])
    expect(parseLogProperties('FILE', formatLogProperties(DEFAULTS))).toEqual(DEFAULTS)
  })

  it('tells that a log is foreign, beside its settings', () => {
    const foreign = { config: resolveLogConfig({ maxMessageBytes: 5 }), isForeign: true }
    expect(parseLogProperties('FILE', formatLogProperties(foreign))).toEqual(foreign)
    expect(parseLogProperties('FILE', 'partition-log.foreign=false\n')).toEqual(DEFAULTS)
  })

  it('takes blank lines, comments, blanks around a value, and \\r\\n', () => {
    const text = '# a\r\n\r\n! b\r\n  segment.ms = 7 \r\n'
    expect(parseLogProperties('FILE', text).config).toMatchObject({ segmentMs: 7 })
  })

  it.each<[string, number]>([
    ['# a\nsegment.ms\n', 2],
    ['=5\n', 1],
    ['# a\nsegment.ms=7\nsegment.mss=5\n', 3],
    ['partition-log.hold=true\n', 1],
    ['\nsegment.ms=x\n', 2],
    ['segment.ms=0\n', 1],
    ['segment.ms=\n', 1],
  ])('%j is refused with the file, the line and what to do', (text, line) => {
    refuses(parseLogProperties, text, line)
    expect(() => parseLogProperties('FILE', text)).toThrow(/take the line out/)
  })

  it.each(['', '\n', ' \r\n\n'])(
    '%j is refused: what is left of a file must not delete by Kafka’s defaults',
    (text) => {
      refuses(parseLogProperties, text)
      expect(() => parseLogProperties('FILE', text)).toThrow(/is empty; restore it/)
    },
  )

  it('is refused where its lines contradict each other', () => {
    refuses(parseLogProperties, 'min.compaction.lag.ms=5\nmax.compaction.lag.ms=4\n')
  })
})
