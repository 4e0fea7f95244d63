/**
 * `partition-log.properties` of a log that this package created: the settings
 * that differ from Kafka's defaults, under Kafka's dotted names. A broker
 * ignores the file; without it a log counts as foreign.
 */

import { configFromNames, resolveLogConfig } from '../config/log-config.js'
import type { LogConfig } from '../config/settings.js'
import { type CorruptionError, corrupt } from '../errors.js'

export const LOG_PROPERTIES_FILE = 'partition-log.properties'

const HEAD =
  "# Settings of this log that differ from Kafka's defaults. Written by partition-log; a broker ignores it."

export function formatLogProperties(settings: readonly (readonly [name: string, value: string])[]): string {
  return [HEAD, ...settings.map(([name, value]) => `${name}=${value}`), ''].join('\n')
}

/** The whole settings: what the file says over Kafka's defaults. */
export function parseLogProperties(path: string, text: string): LogConfig {
  const entries: [string, string][] = []
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#') || line.startsWith('!')) continue
    const equals = line.indexOf('=')
    if (equals <= 0) throw malformed(path, index + 1, `"${line}" is no name=value`)
    entries.push([line.slice(0, equals).trim(), line.slice(equals + 1).trim()])
  }
  try {
    return resolveLogConfig(configFromNames(entries))
  } catch (error) {
    throw malformed(path, undefined, error instanceof Error ? error.message : String(error), error)
  }
}

function malformed(
  path: string,
  line: number | undefined,
  message: string,
  cause?: unknown,
): CorruptionError {
  const at = line === undefined ? '' : `line ${line}: `
  return corrupt(
    'settings',
    path,
    `${at}${message}; mend the file, or remove it and give the settings when opening`,
    {},
    cause,
  )
}
