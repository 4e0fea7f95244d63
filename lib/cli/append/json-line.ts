/**
 * A JSON line, as `plog read --json` prints it, as a record. Offset and
 * timestamp type are left out of account: the log gives its own.
 */

import { INT64_MAX } from '../../base/int64.js'
import type { HeaderInput, RecordInput } from '../../index.js'
import { UsageError } from '../failure.js'

/** Passes over empty lines, and refuses what is no record. */
export function jsonLine(line: Buffer, where: string): RecordInput | undefined {
  if (line.length === 0) return undefined
  const json = parseObject(line, where)
  const { timestamp } = json
  return {
    key: bytesFrom(json.key ?? null, `${where}: key`),
    value: bytesFrom(json.value, `${where}: value`),
    headers: headersFrom(json.headers ?? [], where),
    ...(timestamp === undefined ? {} : { timestamp: timestampFrom(timestamp, where) }),
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

/** Ms as text or as a number; -1 for a record without one. */
function timestampFrom(json: unknown, where: string): bigint {
  const text = String(json)
  if (/^(-1|\d{1,19})$/.test(text) && BigInt(text) <= INT64_MAX) return BigInt(text)
  throw new UsageError(`${where}: timestamp is no number of ms`)
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
