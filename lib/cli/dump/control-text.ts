/**
 * Control records as kafka-dump-log describes them.
 */

import {
  type ControlKey,
  type ControlType,
  parseControlKey,
  parseEndTransactionMarker,
} from '../../format/control-record.js'
import { type KraftControlType, parseKraftRecord } from '../../format/kraft-record.js'
import type { LogRecord } from '../../format/record.js'

const KRAFT_WORDS: Readonly<Record<KraftControlType, string>> = {
  LEADER_CHANGE: 'LeaderChange:',
  SNAPSHOT_HEADER: 'SnapshotHeader',
  SNAPSHOT_FOOTER: 'SnapshotFooter',
  KRAFT_VERSION: 'KRaftVersion',
  KRAFT_VOTERS: 'KRaftVoters',
}

/** What a control record says; `ERR_INVALID_BATCH` where its bytes say nothing. */
export function controlText({ key, value }: LogRecord): string {
  const { type, typeId } = parseControlKey(key)
  if (isMarker(type))
    return `endTxnMarker: ${type} coordinatorEpoch: ${parseEndTransactionMarker(value).coordinatorEpoch}`
  if (type === 'UNKNOWN') return `controlType: UNKNOWN(${typeId})`
  return `${KRAFT_WORDS[type]} ${kraftJson(type, value)}`
}

/** The same for JSON. */
export function controlFields({ key, value }: LogRecord): ControlKey & object {
  const controlKey = parseControlKey(key)
  const { type } = controlKey
  if (isMarker(type)) return { ...controlKey, ...parseEndTransactionMarker(value) }
  return type === 'UNKNOWN' ? controlKey : { ...controlKey, ...parseKraftRecord(type, value) }
}

function isMarker(type: ControlType): type is 'ABORT' | 'COMMIT' {
  return type === 'ABORT' || type === 'COMMIT'
}

/** Kafka writes 64-bit integers of these records as JSON numbers. */
function kraftJson(type: KraftControlType, value: Buffer | null): string {
  const longs: string[] = []
  const text = JSON.stringify(parseKraftRecord(type, value), (_, field) => {
    if (typeof field !== 'bigint') return field
    longs.push(field.toString())
    return `\u0000${longs.length - 1}`
  })
  return text.replace(/"\\u0000(\d+)"/g, (_, index) => longs[Number(index)] ?? '')
}
