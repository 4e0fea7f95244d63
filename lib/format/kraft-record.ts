/**
 * Values of KRaft's control records, field by field in the order of their
 * schemas: what a metadata log holds beside metadata. Pure, and only read.
 */

import { invalidBatch } from './batch.js'
import { CompactReader } from './compact-reader.js'
import type { ControlType } from './control-record.js'

export type KraftControlType = Exclude<ControlType, 'ABORT' | 'COMMIT' | 'UNKNOWN'>

/** Field names are Kafka's; 64-bit integers are bigint. */
export type KraftRecord = Readonly<Record<string, unknown>>

type ReadFields = (reader: CompactReader, version: number) => KraftRecord

/** For each type the newest version that is known, and what follows the version. */
const SCHEMAS: Readonly<Record<KraftControlType, { newest: number; fields: ReadFields }>> = {
  LEADER_CHANGE: { newest: 1, fields: leaderChange },
  SNAPSHOT_HEADER: {
    newest: 0,
    fields: (reader) => ({ lastContainedLogTimestamp: reader.int64() }),
  },
  SNAPSHOT_FOOTER: { newest: 0, fields: () => ({}) },
  KRAFT_VERSION: { newest: 0, fields: (reader) => ({ kRaftVersion: reader.int16() }) },
  KRAFT_VOTERS: { newest: 0, fields: (reader) => ({ voters: reader.array(() => voter(reader)) }) },
}

/** The fields of a control record's value; `ERR_INVALID_BATCH` where the bytes are none, or of a version not known. */
export function parseKraftRecord(type: KraftControlType, value: Buffer | null): KraftRecord {
  if (value === null) throw invalidBatch(`a ${type} record has no value`)
  const reader = new CompactReader(value)
  const version = reader.int16()
  const { newest, fields } = SCHEMAS[type]
  if (version < 0 || version > newest)
    throw invalidBatch(`a ${type} record of version ${version}, known up to ${newest}`)
  const record = { version, ...fields(reader, version) }
  reader.skipTaggedFields()
  return record
}

function leaderChange(reader: CompactReader, version: number): KraftRecord {
  const id = () => leaderVoter(reader, version)
  return { leaderId: reader.int32(), voters: reader.array(id), grantingVoters: reader.array(id) }
}

function leaderVoter(reader: CompactReader, version: number): KraftRecord {
  const voterId = reader.int32()
  const directory = version >= 1 ? { voterDirectoryId: reader.uuid() } : {}
  reader.skipTaggedFields()
  return { voterId, ...directory }
}

function voter(reader: CompactReader): KraftRecord {
  const record = {
    voterId: reader.int32(),
    voterDirectoryId: reader.uuid(),
    endpoints: reader.array(() => endpoint(reader)),
    kRaftVersionFeature: versionRange(reader),
  }
  reader.skipTaggedFields()
  return record
}

function endpoint(reader: CompactReader): KraftRecord {
  const record = { name: reader.string(), host: reader.string(), port: reader.uint16() }
  reader.skipTaggedFields()
  return record
}

function versionRange(reader: CompactReader): KraftRecord {
  const range = { minSupportedVersion: reader.int16(), maxSupportedVersion: reader.int16() }
  reader.skipTaggedFields()
  return range
}
