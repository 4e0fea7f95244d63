/**
 * Random logs for the dump tools, written by our engine: settings, records of
 * every kind, codecs, leader epochs, gaps as a follower gets them, rolls,
 * truncation, indexes that were trimmed or keep their full size.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { BackendName } from '../../../../lib/backend/contract.js'
import { CODEC_NAMES, type CodecName } from '../../../../lib/format/compression.js'
import {
  encodeBatch,
  loadCodec,
  openLog,
  type PartitionLog,
  type RecordInput,
} from '../../../../lib/index.js'
import { record } from '../../../property/arbitraries.js'

export interface LogPlan {
  readonly backend: BackendName
  readonly indexIntervalBytes: number
  readonly segmentIndexBytes: number
  readonly timestampType: 'CreateTime' | 'LogAppendTime'
  readonly steps: readonly Step[]
  /** Whether the log is closed before it is dumped; an index of an open one keeps its full size. */
  readonly closed: boolean
}

type Step =
  | {
      readonly kind: 'append'
      readonly records: readonly RecordInput[]
      readonly codec: CodecName
      readonly epochs: number
    }
  | {
      readonly kind: 'follow'
      readonly records: readonly RecordInput[]
      readonly codec: CodecName
      readonly gap: number
      readonly producer: boolean
    }
  | { readonly kind: 'roll' }
  | { readonly kind: 'truncate'; readonly keep: number }

/** Header keys and values that a reader of the text could take for something else. */
const TRICKY = ['a,b', 'k:v', '', '\n', 'x\nbaseOffset: 1', '| offset: 7', '\u2028', '\ufeffbom', '😀']

/** Bytes that are no UTF-8, in ways in which decoders differ. */
const MALFORMED = fc
  .array(
    fc.constantFrom(
      0x00,
      0x41,
      0x7f,
      0x80,
      0xbf,
      0xc0,
      0xc3,
      0xe0,
      0xe2,
      0xed,
      0xa0,
      0x9f,
      0xef,
      0xbb,
      0xf0,
      0x90,
      0xf4,
      0xf5,
      0xf8,
      0xfe,
      0xff,
    ),
    { maxLength: 12 },
  )
  .map((bytes) => Buffer.from(bytes))

const dumpedRecord: fc.Arbitrary<RecordInput> = fc
  .tuple(
    record,
    fc.option(fc.oneof(MALFORMED, fc.constantFrom(...TRICKY))),
    fc.boolean(),
    fc.option(fc.constantFrom(...TRICKY)),
  )
  .map(([one, bytes, isKey, headerKey]) => ({
    ...one,
    timestamp: BigInt(one.timestamp ?? 0),
    ...(bytes === null ? {} : isKey ? { key: bytes } : { value: bytes }),
    ...(headerKey === null ? {} : { headers: [...(one.headers ?? []), { key: headerKey, value: null }] }),
  }))

const records = fc.array(dumpedRecord, { minLength: 1, maxLength: 6 })
const codec = fc.constantFrom(...CODEC_NAMES)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      records,
      codec,
      epochs: fc.nat({ max: 2 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('follow' as const),
      records,
      codec,
      gap: fc.nat({ max: 5 }),
      producer: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'roll' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('truncate' as const),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
)

export const logPlan: fc.Arbitrary<LogPlan> = fc.record({
  backend: fc.constantFrom<BackendName>('native', 'portable'),
  indexIntervalBytes: fc.constantFrom(0, 100, 4096),
  segmentIndexBytes: fc.constantFrom(48, 120, 1200, 20_000),
  timestampType: fc.constantFrom('CreateTime', 'LogAppendTime'),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  closed: fc.boolean(),
})

export async function loadCodecs(): Promise<void> {
  for (const name of CODEC_NAMES) await loadCodec(name)
}

/** Writes the log below `directory`, shows its files' paths to `use`, and closes it. */
export async function withLog(
  directory: string,
  plan: LogPlan,
  use: (files: readonly string[]) => Promise<void>,
): Promise<void> {
  const { backend, indexIntervalBytes, segmentIndexBytes, timestampType: messageTimestampType } = plan
  const log = await openLog(join(directory, 'dumped-0'), {
    backend,
    config: {
      indexIntervalBytes,
      segmentIndexBytes,
      messageTimestampType,
      messageTimestampAfterMaxMs: Number.POSITIVE_INFINITY,
    },
  })
  try {
    for (const one of plan.steps) await take(log, one)
    if (plan.closed) await log.close()
    await use(
      readdirSync(log.path)
        .sort()
        .map((name) => join(log.path, name)),
    )
  } finally {
    await log.close()
  }
}

async function take(log: PartitionLog, one: Step): Promise<void> {
  const { logEndOffset, logStartOffset } = log.offsets
  const epoch = log.leaderEpochs.at(-1)?.epoch ?? 0
  switch (one.kind) {
    case 'append':
      log.append(one.records, { compression: one.codec, leaderEpoch: epoch + one.epochs })
      return
    case 'follow':
      log.appendBatches(
        encodeBatch(one.records, {
          compression: one.codec,
          baseOffset: logEndOffset + BigInt(one.gap),
          partitionLeaderEpoch: epoch,
          ...(one.producer ? { producer: { id: 7n, epoch: 1, baseSequence: 2 ** 31 - 2 } } : {}),
        }),
        { origin: 'follower', leaderEpoch: epoch },
      )
      return
    case 'roll':
      log.roll()
      return
    case 'truncate':
      await log.truncateTo(
        logStartOffset + BigInt(Math.floor(Number(logEndOffset - logStartOffset) * one.keep)),
      )
  }
}
