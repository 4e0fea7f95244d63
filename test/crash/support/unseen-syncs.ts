/**
 * Syncs that have to be missed when they are left out, and those whose absence
 * no power failure can show in these stories, each with the reason why it is
 * there all the same.
 */
const SEALED = 'the records were flushed before; a trim that is lost is known by the full length of the index'
const SAME_DIRECTORY = 'the next small file written to the same directory syncs it before anybody is told'
const INDEXES = 'a start makes indexes anew from the recovery point on, and those below that look wrong'
const MADE_ANEW = 'nothing is acknowledged between this sync and the next of the same directory'

const CLEANED_AGAIN = 'what is lost costs another cleaning; one that cannot be read says nothing'

export const UNSEEN_SYNCS: Readonly<Record<string, string>> = {
  'checkpoint/shared-checkpoint writeChanges: cleaner-offset-checkpoint.tmp': CLEANED_AGAIN,
  'checkpoint/shared-checkpoint writeChanges: directory of cleaner-offset-checkpoint': CLEANED_AGAIN,
  'checkpoint/shared-checkpoint writeChanges: directory of replication-offset-checkpoint':
    'the high watermark follows the end of the log unless the host owns it',
  'cleaner/cleaned-segments writeTransactionIndex: txnindex':
    'what it tells of is dropped by the cleaning that writes it: no reader misses it',
  'log/close sealDurably: directory': SEALED,
  'log/close sealDurably: index': SEALED,
  'log/close sealDurably: log': SEALED,
  'log/close sealDurably: timeindex': SEALED,
  'log/epoch-file keepLeaderEpochs: directory of leader-epoch-checkpoint':
    'an epoch that comes back goes again at the next start',
  'manager/log-files writeSmallFiles: directory': `${SAME_DIRECTORY}, or one of the files in the new directory is missing and made anew`,
  'manager/log-files writeSmallFiles: directory of leader-epoch-checkpoint': MADE_ANEW,
  'manager/log-files writeSmallFiles: directory of partition-log.properties': SAME_DIRECTORY,
  'manager/log-files writeSmallFiles: directory of partition.metadata': SAME_DIRECTORY,
  'manager/log-files writeSmallFiles: leader-epoch-checkpoint.tmp': 'it is empty',
  'manager/set-aside setAside: directory': `${SAME_DIRECTORY}: the checkpoints, without the log's lines`,
  'log/truncate cut: index': INDEXES,
  'log/truncate cut: timeindex': INDEXES,
  'log/flusher flushSegment: index': INDEXES,
  'log/flusher flushSegment: timeindex': INDEXES,
  'log/truncate startAnew: directory':
    'its start is in the checkpoint before: without its segment the log begins there anew',
  'log/retention check: directory':
    'the flush that the roll asks for mostly syncs the directory first; it need not',
}

/** What holds the promises up. */
export const MISSED_SYNCS: readonly string[] = [
  'checkpoint/shared-checkpoint writeChanges: directory of log-start-offset-checkpoint',
  'checkpoint/shared-checkpoint writeChanges: log-start-offset-checkpoint.tmp',
  'checkpoint/shared-checkpoint writeChanges: recovery-point-offset-checkpoint.tmp',
  'cleaner/cleaned-segments finish: directory',
  'cleaner/cleaned-segments finishOne: index',
  'cleaner/cleaned-segments finishOne: log',
  'log/cleaning/swap swapDurably: directory',
  'log/deletion renameFiles: directory',
  'log/flusher flushOnce: directory',
  'log/flusher flushSegment: log',
  'log/truncate cut: log',
  'manager/log-files writeSmallFiles: partition-log.properties.tmp',
  'manager/log-files writeSmallFiles: partition.metadata.tmp',
]
