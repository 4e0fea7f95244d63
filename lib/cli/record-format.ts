/**
 * How `plog read` writes a record: by a format like `%o %t %k %v`, one record a
 * line. Keys and values are written as the bytes they are; null is the text
 * `null`, as kafka-console-consumer has it.
 *
 *   %o offset   %t timestamp in ms   %k key   %v value
 *   %h headers, `key:value` separated by commas, NO_HEADERS where there are none
 *   %p partition   %% a percent sign   \n \t \r \0 \\ as in C
 */

import { InvalidArgumentError } from 'commander'
import type { LogRecord } from '../index.js'

type Piece = string | Uint8Array
/** What is written of a record, piece by piece. */
export type RecordFormat = (record: LogRecord, partition: number) => readonly Piece[]

type Field = (record: LogRecord, partition: number) => readonly Piece[]

const NULL = 'null'

const FIELDS: Readonly<Record<string, Field>> = {
  o: ({ offset }) => [offset.toString()],
  t: ({ timestamp }) => [timestamp.toString()],
  k: ({ key }) => [key ?? NULL],
  v: ({ value }) => [value ?? NULL],
  h: headersOf,
  p: (_, partition) => [String(partition)],
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', 0: '\0', '\\': '\\' }

/** Refuses a format with an unknown `%x` or `\x`. */
export function parseFormat(text: string): RecordFormat {
  const parts: (string | Field)[] = []
  for (const [part] of text.matchAll(/[%\\].?|[^%\\]+/gs)) parts.push(parsePart(part))
  return (record, partition) => {
    const pieces: Piece[] = []
    for (const part of parts) {
      if (typeof part === 'string') pieces.push(part)
      else pieces.push(...part(record, partition))
    }
    pieces.push('\n')
    return pieces
  }
}

function parsePart(part: string): string | Field {
  const sign = part[0]
  if (sign !== '%' && sign !== '\\') return part
  const letter = part.slice(1)
  const meaning = sign === '\\' ? ESCAPES[letter] : letter === '%' ? '%' : FIELDS[letter]
  if (meaning !== undefined) return meaning
  throw new InvalidArgumentError(
    `"${part}" stands for nothing: there are %o %t %k %v %h %p %% and \\n \\t \\r \\0 \\\\.`,
  )
}

function headersOf({ headers }: LogRecord): Piece[] {
  if (headers.length === 0) return ['NO_HEADERS']
  return headers.flatMap(({ key, value }, index) => [index === 0 ? `${key}:` : `,${key}:`, value ?? NULL])
}
