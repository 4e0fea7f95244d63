/**
 * Where this package means to differ from Kafka: each with its row in the
 * table of docs/kafka-compatibility.md, which says why.
 *
 * A difference with an `explains` may come up in a random script: it is of an
 * answer alone, the logs stay equal, and its condition is so narrow that every
 * other difference stays one. All others are kept out of random scripts by
 * `resolve.ts` and `open-files.ts`, which name them where they do so. A case
 * in `cases/meant.ts` shows each.
 */

import type { Context } from './explanations.js'
import {
  answeredTime,
  hasNoFirstOffset,
  isNotForReaders,
  isOneOfSeveralFaults,
  stopsInFirstSegment,
} from './explanations.js'

export interface MeantDifference {
  /** What is done here, as the first cell of its row says. */
  readonly row: string
  readonly explains?: (context: Context) => boolean
}

export const MEANT_DIFFERENCES = {
  "a follower's append above segment.bytes": {
    row: "A follower's append may be larger than `segment.bytes`; it gets a segment of its own",
  },
  'no room in an index': {
    row: 'Index entries that find no room in one append of several batches are left out',
  },
  'batches of one append further apart than 31 bits': {
    row: 'Batches of one append whose offsets lie further apart than 31 bits go into several segments',
  },
  'an epoch below the latest': {
    row: "A leader's append with an epoch below the log's latest is refused",
  },
  'an epoch noted for a refused batch': {
    row: 'A batch that `segment.bytes` refuses leaves the leader epochs as they were',
  },
  'a batch without an epoch': {
    row: 'A follower takes a batch without a leader epoch (-1); the epochs stay as they were',
  },
  'records deleted from a compacted log': {
    row: '`deleteRecordsBefore` works whatever `cleanup.policy` says',
  },
  'records deleted behind what is left': {
    row: 'After a truncation into a batch, a log start behind what is left begins an empty segment at the end',
  },
  'a high watermark that falls': {
    row: '`setHighWatermark` refuses an offset below the mark',
  },
  'a high watermark in a batch or gap': {
    row: 'The high watermark is the offset that was set',
  },
  'a look-up by time stops in the first segment': {
    row: 'A look-up by time goes on where the first segment that may hold the time does not',
    explains: stopsInFirstSegment,
  },
  'the largest time is not for readers': {
    row: 'The record with the largest time is one that can be read',
    explains: isNotForReaders,
  },
  'no record has a time': {
    row: 'A log whose records have no times has no record with the largest time',
    explains: answeredTime,
  },
  'one of several faults': {
    row: 'Of several faults of one batch, another may be told',
    explains: isOneOfSeveralFaults,
  },
  "bytes behind a leader's batch": {
    row: 'A leader refuses bytes behind its batch, a cut second batch too',
  },
  'an old format at a leader': {
    row: 'A leader refuses messages of magic 0 and 1',
  },
  'fields that the log sets': {
    row: 'A leader refuses a batch whose timestamp type is LogAppendTime or that has a delete horizon',
  },
  'offsets within a batch': {
    row: "A leader refuses records whose offsets do not count up by one from the batch's, or whose time is below -1",
  },
  'batches that overlap': {
    row: 'A follower refuses a batch that begins at or below the last offset of the one before',
  },
  'an old batch does not tell its first offset': {
    row: "A follower's append that begins with an old format says that it begins with that batch's last offset",
    explains: hasNoFirstOffset,
  },
  'entries that a truncation cut off': {
    row: 'Behind the last entry, an open index is zeros',
  },
  'an empty preallocated segment': {
    row: 'An empty segment that is rolled keeps its `.log`, which a truncation or an opening may have left without preallocated space',
  },
  'no room in the index of a cleaned segment': {
    row: 'Index entries of a cleaned segment that find no room are left out',
  },
  'deleted files of one name': {
    row: 'A `.deleted` file that takes the place of an older one stays for its own `file.delete.delay.ms`',
  },
} as const satisfies Readonly<Record<string, MeantDifference>>

export type MeantName = keyof typeof MEANT_DIFFERENCES

/** The name of the meant difference that this one is; undefined where it is none. */
export function explained(context: Context): MeantName | undefined {
  const all = Object.entries(MEANT_DIFFERENCES) as [MeantName, MeantDifference][]
  return all.find(([, { explains }]) => explains?.(context))?.[0]
}

const OTHER_SUITES = 'it takes damaged or foreign files: the tests of opening and reading show it'
const AN_OPTION = 'it is how this package is asked, not what it does'

/** Rows of the same table that no script shows, by how they begin, and why. */
export const NOT_FOR_SCRIPTS: Readonly<Record<string, string>> = {
  '`segment.index.bytes` is at least 12': 'the log is not made',
  'A log whose cleaning fails is tried again':
    'no cleaning of a script fails; the tests of the cleaner show it',
  'A damaged batch ends the cleaning of its log': OTHER_SUITES,
  'A cleaning whose output would overflow a segment':
    'no script writes so much; the tests of cleaning show it',
  'The cleaner first looks after': 'scripts say when logs are cleaned',
  'Settings of 64 bits are numbers': AN_OPTION,
  'The last stable offset is never below': "the contender for Kafka raises its answer to the log's start",
  'A snapshot of producers that finds no room': 'the disk of scripts is never full',
  'A log that is opened is not refused for a batch': 'no script makes such a log',
  'An index must also start with entries': OTHER_SUITES,
  'Opening after a clean shutdown reads the batches': OTHER_SUITES,
  'A missing index beside a segment': OTHER_SUITES,
  'Damage below the recovery point': "scripts open with onDamage: 'cut'",
  'Where offsets step back within a segment': 'scripts copy no whole batch',
  'An I/O error while a segment is recovered': OTHER_SUITES,
  'After a recovery the recovery point': 'it is compared again after the next flush',
  'Above the recovery point, a segment behind an empty one': OTHER_SUITES,
  'Log start offsets and lowered recovery points':
    'scripts let the time of checkpoints come before they kill',
  'The marker `.kafka_cleanshutdown`': 'scripts close all that they open, and then it is compared',
  'Batches whose offsets do not rise': OTHER_SUITES,
  'A flush also covers what a roll trimmed': 'only a power cut shows it',
  'The indexes of an active segment lose': 'scripts have one log, whose files stay open',
  'An index of the active segment that has its full length': OTHER_SUITES,
  'A compressed batch that would not open': 'the limits are far above what scripts append',
  'A failed write or fsync takes the log offline alone': 'scripts have no faults',
  'A log that lies in two log directories': 'scripts have one log',
  'Directories that no log can be named by': OTHER_SUITES,
  'A checkpoint that cannot be read': OTHER_SUITES,
  'Retention takes nothing from a log that this package did not make': OTHER_SUITES,
  '`flush.ms` holds without': 'only a power cut shows it',
  'A checkpoint keeps the lines of logs': 'scripts have one log',
  '`append` takes records and sets a missing timestamp': AN_OPTION,
  'A leader epoch that begins where the records end':
    'logs are compared without it: the next record makes them equal',
  '`append` and `appender` give the leader epoch':
    'scripts do without an epoch too, and Kafka is told that one',
  'The high watermark follows the end': 'scripts do both, and Kafka is moved likewise',
}
