/** The topic's id, which each new log draws, as it is written down beside the log. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  PARTITION_METADATA_FILE,
  parsePartitionMetadata,
} from '../../../lib/checkpoint/partition-metadata.js'
import { LOG_NAME } from './contender.js'

export function topicIdIn(directory: string): string {
  const path = join(directory, LOG_NAME, PARTITION_METADATA_FILE)
  return parsePartitionMetadata(path, readFileSync(path, 'utf8'))
}
