/**
 * JSON lines, as `plog read --json` prints them, to records. Offset and
 * timestamp type are left out of account: the log gives its own.
 */

import type { HeaderInput, RecordInput } from '../../index.js'
import { UsageError } from '../failure.js'

/** The records of the lines that came in at once, together. A line that is no record is refused with its number. */
export async function* readJsonRecords(
  lines: AsyncIterable<Buffer[]>,
): AsyncGenerator<RecordInput[], void, undefined> {
  let before = 0
  for await (const some of lines) {
    const records: RecordInput[] = []
    for (const [index, line] of some.entries()) {
      if (line.length > 0) records.push(recordFrom(line, `line ${before + index + 1} of the input`))
    }
    yield records
    before += some.length
  }
}

function recordFrom(line: Buffer, where: string): RecordInput {
  const json = parseObject(line, where)
  const { timestamp } = json
  const valid = timestamp === undefined || /^(-1|\d{1,19})$/.test(String(timestamp))
  if (!valid) throw new UsageError(`${where}: timestamp is no number of ms`)
  return {
    key: bytesFrom(json.key ?? null, `${where}: key`),
    value: bytesFrom(json.value, `${where}: value`),
    headers: headersFrom(json.headers ?? [], where),
    ...(timestamp === undefined ? {} : { timestamp: String(timestamp) }),
  }
}

function parseObject(line: Buffer, where: string): Record<string, unknown> {
  let json: unknown
  try {
    json = JSON.parse(line.toString('utf8'))
  } catch (error) {
    throw new UsageError(`${where} is no JSON: ${error instanceof Error ? error.message : error}`)
  }
  if (isObject(json)) return json
  throw new UsageError(`${where} is no JSON object`)
}

function headersFrom(json: unknown, where: string): HeaderInput[] {
  if (!Array.isArray(json)) throw new UsageError(`${where}: headers is no array`)
  return json.map((header: unknown) => {
    if (!isObject(header) || typeof header.key !== 'string')
      throw new UsageError(`${where}: a header is no {key, value}`)
    return { key: header.key, value: bytesFrom(header.value, `${where}: value of header ${header.key}`) }
  })
}

/** A string, `{"base64": …}` or null. */
function bytesFrom(json: unknown, where: string): string | Buffer | null {
  if (json === null || typeof json === 'string') return json
  if (isObject(json) && typeof json.base64 === 'string') {
    const bytes = Buffer.from(json.base64, 'base64')
    if (bytes.toString('base64') === json.base64) return bytes
  }
  throw new UsageError(`${where} must be a string, {"base64": …} or null`)
}

function isObject(json: unknown): json is Record<string, unknown> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
