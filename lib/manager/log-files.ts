/**
 * The small files beside a log's segments: its settings, its topic id, its
 * leader epochs. Made when a log is created, read when it is opened.
 */

import { basename, join } from 'node:path'
import type { Files } from '../backend/contract.js'
import { type Entropy, newTopicId } from '../base/entropy.js'
import { makeDirectoryDurably, readText, writeAtomically } from '../checkpoint/atomic-file.js'
import { formatLeaderEpochs, LEADER_EPOCH_FILE } from '../checkpoint/leader-epoch-checkpoint.js'
import { formatLogProperties, LOG_PROPERTIES_FILE, parseLogProperties } from '../checkpoint/log-properties.js'
import {
  formatPartitionMetadata,
  PARTITION_METADATA_FILE,
  parsePartitionMetadata,
} from '../checkpoint/partition-metadata.js'
import {
  differingSettings,
  type LogConfigInput,
  namesFromConfig,
  resolveLogConfig,
} from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { ConfigError } from '../errors.js'
import { TIME_ENTRY_BYTES } from '../segment/index-plan.js'
import type { LogDirectory } from './log-directory.js'

/** What a log is opened with. */
export interface LogSettings {
  readonly config: LogConfig
  /** Whether retention and cleaning may take anything. */
  readonly mayDelete: boolean
}

/**
 * The settings of a log that is there: the stored ones, which `input` must not
 * contradict (`ERR_CONFIG_MISMATCH`); a foreign log has none and takes `input`.
 */
export async function readSettings(
  files: Files,
  directory: string,
  input: LogConfigInput = {},
): Promise<LogSettings> {
  const { config, mayDelete } = await settingsOf(files, directory, input)
  const differing = differingSettings(resolveLogConfig(input, config), config)
  if (differing.length === 0) return { config, mayDelete }
  const path = join(directory, LOG_PROPERTIES_FILE)
  throw new ConfigError(
    'ERR_CONFIG_MISMATCH',
    `${path} has other values of ${differing.join(', ')}; open the log without them`,
    {
      path,
      actual: differing,
    },
  )
}

/** The stored settings of a log that is there; `defaults` for one that somebody else made. */
export async function settingsOf(
  files: Files,
  directory: string,
  defaults: LogConfigInput,
): Promise<LogSettings> {
  const path = join(directory, LOG_PROPERTIES_FILE)
  const text = await readText(files, path)
  if (text !== undefined) return { config: checked(parseLogProperties(path, text)), mayDelete: true }
  return { config: checked(resolveLogConfig(defaults)), mayDelete: namesDeletion(defaults) }
}

const DELETION_SETTINGS = ['cleanupPolicy', 'retentionMs', 'retentionBytes'] as const

/** Settings of deletion were given: nothing is taken from somebody else's log by a default. */
export function namesDeletion(input: LogConfigInput): boolean {
  return DELETION_SETTINGS.some((key) => input[key] !== undefined)
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
): Promise<LogConfig> {
  const { files, flushLane: lane } = logDirectory
  const { config } = await readSettings(files, directory, input)
  const access = { files, lane }
  if (!(await files.exists(directory))) await forgetOlder(logDirectory, basename(directory))
  await makeDirectoryDurably(access, directory)
  const settings = formatLogProperties(namesFromConfig(config))
  const metadata = await readText(files, join(directory, PARTITION_METADATA_FILE))
  if (metadata !== undefined) parsePartitionMetadata(join(directory, PARTITION_METADATA_FILE), metadata)
  const contents: [name: string, content: string][] = [
    [LOG_PROPERTIES_FILE, settings],
    [PARTITION_METADATA_FILE, formatPartitionMetadata(newTopicId(entropy))],
    [LEADER_EPOCH_FILE, formatLeaderEpochs([])],
  ]
  for (const [name, content] of contents) {
    const path = join(directory, name)
    if (!(await files.exists(path))) await writeAtomically(access, path, content)
  }
  return config
}

/** A stop or a full disk can have left the lines of a log by this name that was deleted; without its directory there is none. */
async function forgetOlder(directory: LogDirectory, name: string): Promise<void> {
  const left = Object.values(await directory.checkpointed(name))
  if (left.some((offset) => offset !== undefined)) await directory.forget(name)
}

function checked(config: LogConfig): LogConfig {
  if (config.segmentIndexBytes >= TIME_ENTRY_BYTES) return config
  throw new ConfigError(
    'ERR_CONFIG_INVALID',
    `segment.index.bytes must be at least ${TIME_ENTRY_BYTES}, the size of one entry, got ${config.segmentIndexBytes}`,
    {
      expected: TIME_ENTRY_BYTES,
      actual: config.segmentIndexBytes,
    },
  )
}
