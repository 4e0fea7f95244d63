/** What a run has to show at least once. A line that no run reaches any more is a fault of the suite. */
import { CODEC_NAMES } from '../../../lib/format/compression.js'
import { MEANT_DIFFERENCES } from './meant-differences.js'

const codecs = (operation: string) => CODEC_NAMES.map((codec) => `${operation}: codec ${codec}`)

const APPENDS = [
  'append: done',
  ...codecs('append'),
  'append: refused, ERR_BATCH_TOO_LARGE, RecordTooLargeException',
  'append: refused, ERR_BATCH_TOO_LARGE, RecordBatchTooLargeException',
  'append: refused, ERR_KEY_REQUIRED, InvalidRecordException',
  'append: refused, ERR_TIMESTAMP_OUT_OF_BOUNDS, InvalidTimestampException',
]

const PRODUCERS = [
  ...['append', 'leader'].flatMap((operation) =>
    [
      'duplicate',
      'sequences',
      'transactional',
      'sequences wrap',
      'refused, ERR_OUT_OF_ORDER_SEQUENCE, OutOfOrderSequenceException',
      'refused, ERR_PRODUCER_FENCED, InvalidProducerEpochException',
      'refused, ERR_INVALID_TRANSACTION_STATE, InvalidTxnStateException',
    ].map((kind) => `${operation}: ${kind}`),
  ),
  'follower: transactional',
  'follower: marker',
  'follower: refused, ERR_INVALID_TRANSACTION_STATE, InvalidTxnStateException',
  'marker: done',
  'marker: commits',
  'marker: aborts',
  'marker: ends nothing',
  'marker: raises the epoch',
  'marker: refused, ERR_PRODUCER_FENCED, InvalidProducerEpochException',
  'marker: refused, ERR_PRODUCER_FENCED, TransactionCoordinatorFencedException',
  'fetch: committed, with aborted transactions',
  'fetch: committed, stopped by a transaction',
  'read: committed',
  'producers: forgotten',
]

const LEADERS = [
  'leader: done',
  ...codecs('leader'),
  'leader: nothing to append',
  'leader: refused, ERR_BATCH_TOO_LARGE, RecordTooLargeException',
  'leader: refused, ERR_BATCH_TOO_LARGE, RecordBatchTooLargeException',
  'leader: refused, ERR_INVALID_BATCH, CorruptRecordException',
  'leader: refused, ERR_INVALID_BATCH, InvalidRecordException',
  'leader: refused, ERR_KEY_REQUIRED, InvalidRecordException',
  'leader: refused, ERR_TIMESTAMP_OUT_OF_BOUNDS, InvalidTimestampException',
]

const FOLLOWERS = [
  'follower: done',
  ...codecs('follower'),
  'follower: magic 0',
  'follower: magic 1',
  'follower: nothing to append',
  'follower: several batches',
  'follower: several epochs',
  'follower: with gaps',
  'follower: cut batch not taken',
  'follower: newer epoch not taken',
  'follower: refused, ERR_INVALID_BATCH, CorruptRecordException',
  'follower: refused, ERR_INVALID_BATCH, OffsetsOutOfOrderException',
  'follower: refused, ERR_OFFSET_CONFLICT, UnexpectedAppendOffsetException',
]

const ROLLS = ['size', 'time', 'offset-index-full', 'time-index-full', 'offset-overflow', 'requested'].map(
  (reason) => `roll: ${reason}`,
)

const CHANGES = [
  'leader epochs: begun',
  'leader epochs: dropped',
  'leader epochs: begin later, with the log',
  'truncate: nothing to cut',
  'truncate: between batches',
  'truncate: into a batch or gap',
  'truncate: removes segments',
  'truncate: empties a segment',
  'truncate: below the start',
  'deleteBefore: raised',
  'deleteBefore: no change',
  'deleteBefore: refused, ERR_OFFSET_OUT_OF_RANGE, OffsetOutOfRangeException',
  'highWatermark: raised',
  'highWatermark: no change',
  'highWatermark: refused, ERR_OUT_OF_RANGE, IllegalArgumentException',
  'advance: done',
  'flush: done',
  'reopen: done',
  'roll: done',
]

const CRASHES = ['done', 'no damage', 'cut', 'flip', 'zeros', 'copy', 'records cut'].map(
  (kind) => `crash: ${kind}`,
)

const RETENTION = [
  ...['log start offset', 'retention.bytes', 'retention.ms', 'nothing due', 'rolled first'],
  ...['held by the high watermark', '.deleted there', 'start raised'],
  ...['delete', 'compact', 'compact,delete', 'none'].map((policy) => `policy ${policy}`),
].map((kind) => `retain: ${kind}`)

const CLEANING = [
  ...['done', 'nothing due', 'several rounds', 'map full', 'overdue', 'behind a clean section'],
  ...['segments joined', 'stops below the active segment', 'batch gone', 'batch kept in part'],
  ...['compressed batch kept in part', 'empty batch stays', 'marker gone', 'marker with a horizon'],
  ...[
    'batch of a transaction gone',
    'tombstone with a horizon',
    'tombstone gone',
    'record without a key gone',
  ],
  ...['compact', 'compact,delete', 'delete'].map((policy) => `policy ${policy}`),
]
  .map((kind) => `clean: ${kind}`)
  .concat('configure: done')

const BACKGROUND = [
  'advance: retention was due',
  'advance: .deleted still there',
  'advance: .deleted gone',
  ...['recovery-point-offset-checkpoint', 'log-start-offset-checkpoint', 'replication-offset-checkpoint'].map(
    (name) => `checkpoint in the background: ${name}`,
  ),
]

const LOOKS = [
  'fetch: batches',
  'fetch: nothing',
  'fetch: refused, ERR_OFFSET_OUT_OF_RANGE, OffsetOutOfRangeException',
  'read: records',
  'read: nothing',
  'read: refused, ERR_OFFSET_OUT_OF_RANGE, OffsetOutOfRangeException',
  'locate: a batch',
  'locate: no batch',
  'time: found',
  'time: none',
  'maxTime: found',
  'maxTime: none',
  'epochEnd: found',
  'epochEnd: none',
  'files: done',
]

const ENDS = [
  'script: exact',
  'script: decoded',
  'directories compared, open',
  'directories compared, closed',
]

/** Shown by the cases for them; those of an answer alone may come up in random scripts too. */
export const MEANT_MUST_OCCUR = Object.keys(MEANT_DIFFERENCES).map((name) => `meant difference: ${name}`)

export const MUST_OCCUR: readonly string[] = [
  ...APPENDS,
  ...PRODUCERS,
  ...LEADERS,
  ...FOLLOWERS,
  ...ROLLS,
  ...CHANGES,
  ...CRASHES,
  ...RETENTION,
  ...CLEANING,
  ...BACKGROUND,
  ...LOOKS,
  ...ENDS,
  ...MEANT_MUST_OCCUR,
]
