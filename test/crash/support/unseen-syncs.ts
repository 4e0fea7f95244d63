/**
 * Syncs whose absence no power failure can show in these stories, each with
 * the reason why it is there all the same. Every other one has to be missed
 * when it is left out.
 */
const SEALED = 'the records were flushed before; a trim that is lost is known by the full length of the index'
const SAME_DIRECTORY = 'the next small file written to the same directory syncs it before anybody is told'
const MADE_ANEW = 'nothing is acknowledged between this sync and the next of the same directory'

export const UNSEEN_SYNCS: Readonly<Record<string, string>> = {
  'checkpoint/shared-checkpoint writeChanges: directory of replication-offset-checkpoint':
    'the high watermark follows the end of the log unless the host owns it',
  'log/close sealDurably: directory': SEALED,
  'log/close sealDurably: index': SEALED,
  'log/close sealDurably: log': SEALED,
  'log/close sealDurably: timeindex': SEALED,
  'log/deletion renameFiles: directory': `${SAME_DIRECTORY}: the leader epochs; a log without epochs has this one alone`,
  'log/epoch-file keepLeaderEpochs: directory of leader-epoch-checkpoint':
    'an epoch that comes back goes again at the next start',
  'manager/log-files createLogFiles: directory': `${SAME_DIRECTORY}, or one of the files in the new directory is missing and made anew`,
  'manager/log-files createLogFiles: directory of leader-epoch-checkpoint': MADE_ANEW,
}
