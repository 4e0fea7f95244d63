/**
 * `partition-log.properties` of a log: the settings that differ from Kafka's
 * defaults, under Kafka's dotted names. A broker ignores the file. Without it a
 * log counts as foreign: made by somebody else, and nothing is to be deleted
 * from it unasked. The file can say the same of a log that got it later.
 *
 * A line that this version does not understand refuses the log, with file and
 * line. A later version may have put it there to keep records from being
 * deleted, and a log that goes on without it would lose them. A file without
 * any line, which nobody writes, is what a fault left of one: refused too.
 */

import { configFromNames, namesFromConfig, resolveLogConfig } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import type { NamedValue } from '../config/settings-table.js'
import { ConfigError, corrupt } from '../errors.js'

export const LOG_PROPERTIES_FILE = 'partition-log.properties'

const HEAD =
  "# Settings of this log that differ from Kafka's defaults. Written by partition-log; a broker ignores it."

/** No setting of Kafka's; not part of a LogConfig. */
const FOREIGN_NAME = 'partition-log.foreign'

const FOREIGN_LINES = [
  '# This log was not made by partition-log and no setting of deletion was given: nothing is deleted from it.',
  `${FOREIGN_NAME}=true`,
]

const EMPTY_REMEDY =
  "restore it, or put a comment line (#) into it to have Kafka's defaults, which delete after seven days"

/** The whole settings of a log, and whether it may be emptied by Kafka's defaults. */
export interface StoredSettings {
  readonly config: LogConfig
  /** See `mayDelete`. */
  readonly isForeign: boolean
}

export function formatLogProperties({ config, isForeign }: StoredSettings): string {
  const settings = namesFromConfig(config).map(([name, value]) => `${name}=${value}`)
  return [HEAD, ...(isForeign ? FOREIGN_LINES : []), ...settings, ''].join('\n')
}

/** What the file says, over Kafka's defaults. `ERR_CORRUPT` for what is no setting of this version. */
export function parseLogProperties(path: string, text: string): StoredSettings {
  if (text.trim() === '') throw corrupt('settings', path, `the file is empty; ${EMPTY_REMEDY}`)
  const settings: NamedValue[] = []
  let isForeign = false
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith('!')) continue
    const [name, value] = understood(path, `line ${index + 1}: `, () => parseLine(line))
    if (name === FOREIGN_NAME) isForeign = value !== 'false'
    else settings.push([name, value])
  }
  return { config: understood(path, '', () => resolveLogConfig(configFromNames(settings))), isForeign }
}

/** Checks the setting alone, so that the line to blame can be told. */
function parseLine(line: string): NamedValue {
  const equals = line.indexOf('=')
  if (equals <= 0) throw new ConfigError('ERR_CONFIG_INVALID', `"${line}" is no name=value`)
  const setting: NamedValue = [line.slice(0, equals).trim(), line.slice(equals + 1).trim()]
  if (setting[0] !== FOREIGN_NAME) resolveLogConfig(configFromNames([setting]))
  return setting
}

function understood<T>(path: string, at: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const remedy = 'mend the file, or take the line out; if a later version wrote it, that version knows it'
    throw corrupt('settings', path, `${at}${why}; ${remedy}`, {}, error)
  }
}
