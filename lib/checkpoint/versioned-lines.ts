/**
 * The frame of Kafka's checkpoint files:
 *
 *   0            version
 *   2            number of entries
 *   …            one line an entry, fields separated by white space
 *
 * An empty file holds no entries (Kafka makes one before it first writes).
 * Anything that does not fit is `ERR_CORRUPT` with the line.
 */

import { type CorruptionError, corrupt } from '../errors.js'

const VERSION = '0'
const INT32 = /^\d{1,10}$/

export function formatVersionedLines(lines: readonly string[]): string {
  return [VERSION, String(lines.length), ...lines, ''].join('\n')
}

/** Each entry's line through `parseLine`, which gives undefined for one that is none. */
export function parseVersionedLines<T>(
  path: string,
  text: string,
  parseLine: (fields: string[]) => T | undefined,
): T[] {
  if (text === '') return []
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  if (lines[0]?.trim() !== VERSION) throw badLine(path, 1, `version ${lines[0]} is not ${VERSION}`)
  const count = lines[1]?.trim() ?? ''
  if (!INT32.test(count)) throw badLine(path, 2, `"${count}" is no number of entries`)
  const entries = lines.slice(2)
  if (entries.length !== Number(count)) {
    throw badLine(path, 2, `${count} entries are announced, ${entries.length} are there`)
  }
  return entries.map((line, index) => {
    const entry = parseLine(line.trim().split(/\s+/))
    if (entry === undefined) throw badLine(path, index + 3, `"${line}" is no entry`)
    return entry
  })
}

export function badLine(path: string, line: number, message: string): CorruptionError {
  return corrupt(
    'checkpoint',
    path,
    `line ${line}: ${message}; restore the file, or remove it to have it made anew`,
  )
}
