/**
 * Control records as kafka-dump-log describes them.
 */

import {
  type ControlKey,
  type ControlType,
  parseControlKey,
  parseEndTransactionMarker,
} from '../../format/control-record.js'
import { javaJson } from './decode/java-json.js'
import { type KraftControlType, parseKraftRecord } from './decode/kraft-records.js'
import type { OpenedRecord } from './opened-record.js'

const KRAFT_WORDS: Readonly<Record<KraftControlType, string>> = {
  LEADER_CHANGE: 'LeaderChange:',
  SNAPSHOT_HEADER: 'SnapshotHeader',
  SNAPSHOT_FOOTER: 'SnapshotFooter',
  KRAFT_VERSION: 'KRaftVersion',
  KRAFT_VOTERS: 'KRaftVoters',
}

/** What a control record says; `ERR_INVALID_BATCH` or `MessageError` where its bytes say nothing. */
export function controlText({ key, value }: OpenedRecord): string {
  const { type, typeId } = parseControlKey(key)
  if (isMarker(type))
    return `endTxnMarker: ${type} coordinatorEpoch: ${parseEndTransactionMarker(value).coordinatorEpoch}`
  if (type === 'UNKNOWN') return `controlType: UNKNOWN(${typeId})`
  return `${KRAFT_WORDS[type]} ${javaJson(parseKraftRecord(type, value))}`
}

/** The same for JSON. */
export function controlFields({ key, value }: OpenedRecord): ControlKey & object {
  const controlKey = parseControlKey(key)
  const { type } = controlKey
  if (isMarker(type)) return { ...controlKey, ...parseEndTransactionMarker(value) }
  return type === 'UNKNOWN' ? controlKey : { ...controlKey, ...parseKraftRecord(type, value) }
}

function isMarker(type: ControlType): type is 'ABORT' | 'COMMIT' {
  return type === 'ABORT' || type === 'COMMIT'
}
