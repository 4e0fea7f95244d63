/**
 * The small files beside a log's segments: its settings, its topic id, its
 * leader epochs. Made when a log is created, read when it is opened.
 */

import { basename, join } from 'node:path'
import type { Files } from '../backend/contract.js'
import { type Entropy, newTopicId } from '../base/entropy.js'
import { makeDirectoryDurably, readText, writeAtomically } from '../checkpoint/atomic-file.js'
import { LEADER_EPOCH_FILE } from '../checkpoint/leader-epoch-checkpoint.js'
import {
  formatLogProperties,
  LOG_PROPERTIES_FILE,
  parseLogProperties,
  type StoredSettings,
} from '../checkpoint/log-properties.js'
import {
  formatPartitionMetadata,
  PARTITION_METADATA_FILE,
  parsePartitionMetadata,
} from '../checkpoint/partition-metadata.js'
import { differingSettings, type LogConfigInput, resolveLogConfig } from '../config/log-config.js'
import { ConfigError } from '../errors.js'
import { type LogDirectory, STANDALONE_NAME } from './log-directory.js'

/**
 * The settings of a log that is there: the stored ones, which `input` must not
 * contradict (`ERR_CONFIG_MISMATCH`); a log without the file is foreign and
 * takes `input`.
 */
export async function readSettings(
  files: Files,
  directory: string,
  input: LogConfigInput = {},
): Promise<StoredSettings> {
  const path = join(directory, LOG_PROPERTIES_FILE)
  const text = await readText(files, path)
  if (text === undefined) return { config: resolveLogConfig(input), isForeign: true }
  const stored = parseLogProperties(path, text)
  const differing = differingSettings(resolveLogConfig(input, stored.config), stored.config)
  if (differing.length === 0) return stored
  throw new ConfigError(
    'ERR_CONFIG_MISMATCH',
    `${path} has other values of ${differing.join(', ')}; open the log without them, and change them with updateConfig`,
    {
      path,
      actual: differing,
    },
  )
}

/** The settings of a log that is there, or `defaults` for a foreign one. */
export async function storedOr(
  files: Files,
  directory: string,
  defaults: LogConfigInput,
): Promise<StoredSettings> {
  const isForeign = !(await files.exists(join(directory, LOG_PROPERTIES_FILE)))
  return readSettings(files, directory, isForeign ? defaults : {})
}

/**
 * Makes the directory and its small files; they and their names are durable on
 * return. What is there stays: settings, a topic's id, epochs.
 */
export async function createLogFiles(
  logDirectory: LogDirectory,
  directory: string,
  { entropy }: { readonly entropy: Entropy },
  input: LogConfigInput = {},
): Promise<StoredSettings> {
  const { files, flushLane: lane } = logDirectory
  const found = await readSettings(files, directory, input)
  const hasSettings = await files.exists(join(directory, LOG_PROPERTIES_FILE))
  const settings = hasSettings ? found : { ...found, isForeign: false }
  const access = { files, lane }
  if (!(await files.exists(directory))) await forgetOlder(logDirectory, basename(directory))
  await makeDirectoryDurably(access, directory)
  const metadata = await readText(files, join(directory, PARTITION_METADATA_FILE))
  if (metadata !== undefined) parsePartitionMetadata(join(directory, PARTITION_METADATA_FILE), metadata)
  const contents: [name: string, content: string][] = [
    [LOG_PROPERTIES_FILE, formatLogProperties(settings)],
    [PARTITION_METADATA_FILE, formatPartitionMetadata(newTopicId(entropy))],
    // Empty until the first epoch is noted, as Kafka makes it.
    [LEADER_EPOCH_FILE, ''],
  ]
  for (const [name, content] of contents) {
    const path = join(directory, name)
    if (!(await files.exists(path))) await writeAtomically(access, path, content)
  }
  await noteRecoveryPoint(logDirectory, directory)
  return settings
}

/** From its first record on it is known that none is on disk yet: an unclean stop may leave any of them damaged. */
async function noteRecoveryPoint(logDirectory: LogDirectory, directory: string): Promise<void> {
  const name = directory === logDirectory.path ? STANDALONE_NAME : basename(directory)
  const { recoveryPoint, logStartOffset } = await logDirectory.checkpointed(name)
  if (recoveryPoint !== undefined) return
  await logDirectory.checkpointAll('recoveryPoint', new Map([[name, logStartOffset ?? 0n]]))
}

/** A stop or a full disk can have left the lines of a log by this name that was deleted; without its directory there is none. */
async function forgetOlder(directory: LogDirectory, name: string): Promise<void> {
  const left = Object.values(await directory.checkpointed(name))
  if (left.some((offset) => offset !== undefined)) await directory.forget(name)
}
