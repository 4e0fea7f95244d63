/**
 * `partition.metadata` of a log: the id of its topic, two lines without a
 * newline at the end, 43 bytes.
 */

import { type CorruptionError, corrupt } from '../errors.js'

export const PARTITION_METADATA_FILE = 'partition.metadata'

/** `topicId`: 22 characters of URL-safe base64. */
export function formatPartitionMetadata(topicId: string): string {
  return `version: 0\ntopic_id: ${topicId}`
}

/** The topic id. */
export function parsePartitionMetadata(path: string, text: string): string {
  const [version = '', id = ''] = text.split(/\r?\n/)
  if (!/^version: 0$/.test(version.trim())) throw malformed(path, 1, 'expected "version: 0"')
  const match = /^topic_id: ([A-Za-z0-9_-]{22})$/.exec(id.trim())
  if (match?.[1] === undefined) throw malformed(path, 2, 'expected "topic_id: " and 22 characters of base64')
  return match[1]
}

function malformed(path: string, line: number, message: string): CorruptionError {
  return corrupt(
    'checkpoint',
    path,
    `line ${line}: ${message}; restore the file, or remove it to have it made anew`,
  )
}
