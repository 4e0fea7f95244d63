/** Random settings: so small that segments and indexes are full soon, and never a jitter, which Kafka draws itself. */
import fc from 'fast-check'
import { BATCH_OVERHEAD } from '../../../lib/format/layout.js'
import { TIME_ENTRY_BYTES } from '../../../lib/segment/index-plan.js'
import type { Comparison, Settings } from './operation.js'

/** Settings that neither kind of script varies, and which both need. */
const COMMON = { 'segment.jitter.ms': '0' }

const number = (min: number, max: number) => fc.integer({ min, max }).map(String)

const times = {
  'segment.ms': number(1, 5000),
  'message.timestamp.type': fc.constantFrom('CreateTime', 'CreateTime', 'LogAppendTime'),
  'message.timestamp.before.max.ms': fc.constantFrom('0', '1000', '3600000'),
  'message.timestamp.after.max.ms': fc.constantFrom('0', '300', '9223372036854775807'),
  'cleanup.policy': fc.constantFrom('delete', 'delete', 'compact', 'compact,delete', ''),
  'retention.ms': fc.oneof(number(0, 5000), fc.constantFrom('-1', '86400000')),
  'max.compaction.lag.ms': number(1, 5000),
  'file.delete.delay.ms': fc.constantFrom('0', '1000', '60000'),
  'flush.messages': number(1, 20),
  'producer.id.expiration.ms': number(2000, 20000),
  'producer.id.expiration.check.interval.ms': fc.constantFrom('701', '3301'),
  'log.initial.task.delay.ms': number(1, 3000),
  // Never due together with a checkpoint: which of the two came first would show in it.
  'log.retention.check.interval.ms': fc.constantFrom('1501', '4001', '60001'),
  'log.flush.offset.checkpoint.interval.ms': fc.constantFrom('10000', '60000'),
  'log.flush.start.offset.checkpoint.interval.ms': fc.constantFrom('10000', '60000'),
  'replica.high.watermark.checkpoint.interval.ms': fc.constantFrom('5000', '30000'),
}

const exact = fc
  .record(
    {
      ...times,
      'internal.segment.bytes': fc.oneof(number(200, 1000), number(1000, 4000)),
      'segment.index.bytes': fc.oneof(number(12, 60), number(60, 400)),
      'index.interval.bytes': number(0, 400),
      'max.message.bytes': fc.oneof(number(100, 300), number(300, 4000)),
      'retention.bytes': fc.oneof(number(0, 3000), fc.constant('-1')),
      preallocate: fc.constantFrom('true', 'false'),
      'compression.type': fc.constantFrom('producer', 'producer', 'uncompressed'),
    },
    {
      requiredKeys: [
        'internal.segment.bytes',
        'segment.index.bytes',
        'index.interval.bytes',
        'max.message.bytes',
      ],
    },
  )
  .map(withinSegment)

/** Avoids 'an epoch noted for a refused batch': what no segment takes is refused as too large before that. */
function withinSegment<Sizes extends { 'internal.segment.bytes': string; 'max.message.bytes': string }>(
  sizes: Sizes,
) {
  const [segment, message] = [Number(sizes['internal.segment.bytes']), Number(sizes['max.message.bytes'])]
  return { ...sizes, 'max.message.bytes': `${Math.min(segment, message)}` }
}

/** No roll and no refusal may hang on how well a codec did; with an interval of 0 each batch gets its index entry. */
const decoded = fc.record(
  {
    ...times,
    'segment.bytes': fc.constant('1073741824'),
    'index.interval.bytes': fc.constantFrom('0', '1048576'),
    'segment.index.bytes': fc.oneof(number(60, 400), fc.constant('4096')),
    'compression.type': fc.constantFrom('producer', 'uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'),
  },
  { requiredKeys: ['segment.bytes', 'index.interval.bytes', 'segment.index.bytes', 'compression.type'] },
)

export function settingsFor(comparison: Comparison): fc.Arbitrary<Settings> {
  return (comparison === 'exact' ? exact : decoded).map((settings) => ({ ...COMMON, ...settings }))
}

/** More than a script can bring. */
const MOST_BATCHES = 400

/** Of logs that are cleaned. A map of that size holds one key up to all of them; the load factor leaves a slot free. */
const cleaning = fc.record(
  {
    'cleanup.policy': fc.constantFrom('compact', 'compact', 'compact,delete'),
    'delete.retention.ms': fc.oneof(number(0, 5000), fc.constant('86400000')),
    'min.compaction.lag.ms': fc.oneof(
      { weight: 2, arbitrary: fc.constant('0') },
      { weight: 1, arbitrary: number(1, 3000) },
    ),
    'log.cleaner.dedupe.buffer.size': fc.oneof(number(2 * 24, 9 * 24), fc.constant('4194304')),
    'log.cleaner.io.buffer.size': fc.constantFrom('524288', '1000', '200'),
    'segment.ms': fc.oneof(number(1, 5000), fc.constant('604800000')),
    'message.timestamp.before.max.ms': fc.constant('9223372036854775807'),
  },
  { requiredKeys: ['cleanup.policy'] },
)

/** How dirty a log is hangs on how well a codec did, where each contender compresses itself. */
const dirtyRatio = (comparison: Comparison) =>
  comparison === 'exact' ? fc.constantFrom('0', '0.01', '0.3', '0.5', '0.9') : fc.constant('0')

export function cleaningSettingsFor(comparison: Comparison): fc.Arbitrary<Settings> {
  return fc
    .tuple(settingsFor(comparison), cleaning, dirtyRatio(comparison))
    .map(([settings, more, ratio]) =>
      withinIndex(withinLags({ ...settings, ...more, 'min.cleanable.dirty.ratio': ratio })),
    )
}

/** Avoids 'no room in the index of a cleaned segment': an index has room for as many batches as a segment. */
function withinIndex(settings: Settings): Settings {
  const segmentBytes = settings['internal.segment.bytes']
  const mostBatches =
    segmentBytes === undefined ? MOST_BATCHES : Math.ceil(Number(segmentBytes) / BATCH_OVERHEAD)
  const least = (mostBatches + 1) * TIME_ENTRY_BYTES
  // Few refusals: what is to be cleaned must be there.
  const messages = segmentBytes === undefined ? {} : { 'max.message.bytes': segmentBytes }
  return {
    ...settings,
    ...messages,
    'segment.index.bytes': `${Math.max(least, Number(settings['segment.index.bytes']))}`,
  }
}

/** A lag at least may not be above the lag at most. */
function withinLags(settings: Settings): Settings {
  const { 'min.compaction.lag.ms': least, 'max.compaction.lag.ms': most } = settings
  if (least === undefined || most === undefined || Number(least) <= Number(most)) return settings
  return { ...settings, 'min.compaction.lag.ms': most }
}
