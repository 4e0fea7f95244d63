/**
 * Settings of an open log, changed one update after the other: checked, then
 * on disk, then in force, the last in one synchronous step. Where anything
 * fails the old ones stay, in memory and on disk.
 *
 * What reads `core.config` for each append, roll or check follows a new value
 * at once; what a segment was made with stays until the next one (the settings
 * that the table marks `next segment`), as in Kafka.
 */

import { dirname, join } from 'node:path'
import { type FileAccess, readText, writeAtomically } from '../checkpoint/atomic-file.js'
import { formatLogProperties, LOG_PROPERTIES_FILE } from '../checkpoint/log-properties.js'
import {
  DEFAULT_LOG_CONFIG,
  ignoredSettings,
  type LogConfigInput,
  mayDelete,
  resolveLogConfig,
} from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { PartitionLogError } from '../errors.js'
import { isCompacted } from './cleaning/cleanable-log.js'
import type { LogCore } from './log-core.js'
import type { LogEnvironment } from './log-environment.js'
import { asLogError } from './log-error.js'

export class ConfigUpdates {
  readonly #core: LogCore
  #last: Promise<unknown> = Promise.resolve()

  constructor(core: LogCore) {
    this.#core = core
  }

  /** Gives the settings then in force. Refused as `PartitionLog.updateConfig` says. */
  async update(partial: LogConfigInput): Promise<LogConfig> {
    this.#core.assertOpen()
    const updating = this.#core.during(() => this.#last.then(() => updateConfig(this.#core, partial)))
    this.#last = updating.catch(() => undefined)
    return updating
  }
}

async function updateConfig(core: LogCore, partial: LogConfigInput): Promise<LogConfig> {
  core.assertOpen()
  const { env, config: before } = core
  const config = resolveLogConfig(partial, before)
  const deletes = mayDelete(!core.mayDelete, partial)
  await loadConfiguredCodec(env.loadCodec, config)
  await replace(env, formatLogProperties({ config, isForeign: !deletes }))
  core.config = config
  core.mayDelete = deletes
  // With other settings what failed may not fail again.
  core.cleaning.setAside = undefined
  if (!isCompacted(core)) core.cleaning.abort()
  warnOfIgnored(env.name, config, before)
  return config
}

/** The settings file holds `text` on return, durably; where this throws it holds what it held before. */
async function replace(env: LogEnvironment, text: string): Promise<void> {
  const path = join(env.directory, LOG_PROPERTIES_FILE)
  const access = { files: env.files, lane: env.flushLane }
  const before = await readText(env.files, path)
  if (before === text) return
  try {
    await writeAtomically(access, path, text)
  } catch (error) {
    await putBack(access, path, before, asLogError(error))
    throw error
  }
}

/** The rename may have happened before the failure: a later open would find what was refused. */
async function putBack(
  access: FileAccess,
  path: string,
  before: string | undefined,
  cause: PartitionLogError,
): Promise<void> {
  try {
    await access.files.remove(`${path}.tmp`)
    if ((await readText(access.files, path)) === before) return
    if (before !== undefined) return await writeAtomically(access, path, before)
    await access.files.remove(path)
    await access.lane.flushPath(dirname(path))
  } catch (error) {
    const message = `${cause.message}; nor could the old settings be put back (${asLogError(error).message}): look at ${path} before this log is opened again`
    throw new PartitionLogError(cause.code, message, { path }, cause)
  }
}

/** Loads the library of `compression.type`, so that appends need not wait for it. `ERR_UNSUPPORTED` where none is installed. */
export async function loadConfiguredCodec(
  load: LogEnvironment['loadCodec'],
  { compressionType }: LogConfig,
): Promise<void> {
  if (compressionType !== 'producer' && compressionType !== 'uncompressed') await load(compressionType)
}

/** One process warning for the settings of a log that are kept and mean nothing here, and were not set before. */
export function warnOfIgnored(name: string, config: LogConfig, before: LogConfig = DEFAULT_LOG_CONFIG): void {
  const known = ignoredSettings(before)
  const ignored = ignoredSettings(config).filter((setting) => !known.includes(setting))
  if (ignored.length === 0) return
  process.emitWarning(
    `${name} has settings that mean nothing here (no replicas, tiered storage or share groups) and are ignored: ${ignored.join(', ')}`,
  )
}
