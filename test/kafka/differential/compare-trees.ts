/**
 * Two log directories, file by file: byte for byte, or, where the contenders
 * compressed for themselves, with what is in the files.
 */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseFileName } from '../../../lib/segment/names.js'
import { treeOf } from '../../support/tree.js'
import { LOG_NAME } from './contender.js'
import { firstDifference } from './difference.js'
import type { Comparison } from './operation.js'
import { decodedBatches } from './records.js'

/** Files that are not compared, with the reason. */
const LEFT_OUT: readonly [pattern: RegExp, reason: string][] = [
  [/^\.lock(\.pid)?$/, 'who holds the directory: a broker deletes the file when it stops'],
  [/\/partition-log\.properties$/, 'the settings: a broker keeps them elsewhere'],
]

/** Without entries it says what none says: a truncation leaves it, and a segment that is renewed has none in Kafka. */
const TRANSACTION_INDEX = '.txnindex'

/** A broker makes it when it starts, and ours when the first log was cleaned. */
const CLEANER_CHECKPOINT = 'cleaner-offset-checkpoint'

export type Tree = Readonly<Record<string, string>>

/** What is compared of a log directory: content as hex by path. */
export function comparedTree(directory: string): Tree {
  const all = Object.entries(treeOf(directory, isLeftOut))
  const saysNothing = (path: string, hex: string) =>
    hex === '' && (path.endsWith(TRANSACTION_INDEX) || path === CLEANER_CHECKPOINT)
  return Object.fromEntries(all.filter(([path, hex]) => !saysNothing(path, hex)))
}

/** Names of the files of the log in `directory` that are compared. */
export function logFiles(directory: string): string[] {
  const paths = readdirSync(join(directory, LOG_NAME)).map((name) => `${LOG_NAME}/${name}`)
  const isEmpty = (path: string) => statSync(join(directory, path)).size === 0
  const saysNothing = (path: string) => path.endsWith(TRANSACTION_INDEX) && isEmpty(path)
  return paths.filter((path) => !isLeftOut(path) && !saysNothing(path)).sort()
}

/**
 * The same without deleted files whose name is in use again: an empty segment that is rolled has new files in Kafka,
 * and its old ones are deleted; ours goes on with those it has.
 */
export function logFilesButRenewed(directory: string): string[] {
  const files = new Set(logFiles(directory))
  const isRenewed = (path: string) =>
    path.endsWith('.deleted') &&
    files.has(path.replace(/(\.txnindex)?\.deleted$/, (_, kind) => (kind ? '.log' : '')))
  return [...files].filter((path) => !isRenewed(path))
}

function isLeftOut(path: string): boolean {
  return LEFT_OUT.some(([pattern]) => pattern.test(path))
}

/** Null where the trees are equal; else which file differs, where, and what is decoded there. */
export function treeDifference(expected: Tree, actual: Tree, comparison: Comparison): string | null {
  const names = firstDifference(Object.keys(expected), Object.keys(actual))
  if (names !== null) return `the files: ${names}`
  for (const [path, hex] of Object.entries(expected)) {
    const difference = fileDifference(path, hex, actual[path] as string, comparison)
    if (difference !== null) return `${path}: ${difference}`
  }
  return null
}

function fileDifference(
  path: string,
  expected: string,
  actual: string,
  comparison: Comparison,
): string | null {
  if (expected === actual) return null
  const decoded = firstDifference(contentOf(path, expected), contentOf(path, actual))
  if (comparison === 'decoded') return decoded
  return `${byteDifference(expected, actual)}; decoded: ${decoded ?? 'equal'}`
}

function byteDifference(expected: string, actual: string): string {
  const [left, right] = [expected, actual].map((hex) => Buffer.from(hex, 'hex')) as [Buffer, Buffer]
  const at = left.findIndex((byte, position) => byte !== right[position])
  const position = at < 0 ? left.length : at
  return `byte ${position} is ${left[position]} and ${right[position]}, of ${left.length} and ${right.length} bytes`
}

/** What a file says, apart from where it lies in compressed bytes. */
function contentOf(path: string, hex: string): unknown {
  const bytes = Buffer.from(hex, 'hex')
  switch (parseFileName(path.slice(path.lastIndexOf('/') + 1))?.kind) {
    case 'log':
      return logContent(bytes)
    case 'index':
      return { length: bytes.length, offsets: offsetsOf(bytes) }
    case 'timeindex':
    case 'txnindex':
    case 'snapshot':
      return hex
    default:
      return bytes.toString('utf8')
  }
}

/** Bytes that are no batches (zeros of a preallocated tail, damage) stay bytes. */
function logContent(bytes: Buffer): unknown {
  try {
    return decodedBatches(bytes)
  } catch (error) {
    return { unreadable: String(error), bytes: bytes.toString('hex') }
  }
}

function offsetsOf(bytes: Buffer): number[] {
  return Array.from({ length: Math.floor(bytes.length / 8) }, (_, entry) => bytes.readInt32BE(entry * 8))
}
