/** Random settings: so small that segments and indexes are full soon, and never a jitter, which Kafka draws itself. */
import fc from 'fast-check'
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
