/**
 * The part of a log that writes nothing.
 */

import type { PartitionLog } from './partition-log.js'

/** What a log opened with `readOnly` can do; the rest throws `ERR_READ_ONLY`. */
export type ReadOnlyPartitionLog = Omit<
  PartitionLog,
  | 'append'
  | 'appendBatches'
  | 'appender'
  | 'clean'
  | 'deleteRecordsBefore'
  | 'endTransaction'
  | 'flush'
  | 'producer'
  | 'retryCleaning'
  | 'roll'
  | 'runRetention'
  | 'setHighWatermark'
  | 'truncateTo'
  | 'updateConfig'
  | 'whenDurable'
>
