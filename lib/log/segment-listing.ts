/**
 * Which segments lie in a log's directory, and what else of their kind. Reads
 * names and lengths, changes nothing.
 */

import { join } from 'node:path'
import type { DirectoryEntry } from '../backend/contract.js'
import { CorruptionError, corrupt, PartitionLogError } from '../errors.js'
import { type FileKind, type FileName, fileName, parseFileName } from '../segment/names.js'
import type { LogEnvironment } from './log-environment.js'

export interface SegmentListing {
  /** By rising base offset. */
  readonly logs: readonly {
    readonly baseOffset: bigint
    readonly sizeInBytes: number
    readonly modifiedMs: number
  }[]
  /** Indexes of empty segments that are not there (a broker makes them late): to be made. */
  readonly missing: readonly string[]
  /** Left from deletions, and indexes whose segment is gone: to be removed. */
  readonly leftovers: readonly string[]
}

const SEGMENT_BYTES_MAX = 2 ** 31 - 1
const INDEX_KINDS = ['index', 'timeindex'] as const
const LISTINGS_BESIDE_WRITER = 5
const ORPHAN_KINDS: ReadonlySet<FileKind> = new Set(['index', 'timeindex', 'txnindex'])

/**
 * Throws `ERR_CORRUPT` for a segment with records that lacks an index, and
 * `ERR_UNCLEAN` for files of an interrupted cleaning. A writer may be rolling
 * while its directory is listed for reading: then a `.log` is seen before its
 * indexes, and it is listed anew.
 */
export async function listSegments(env: LogEnvironment): Promise<SegmentListing> {
  for (let left = env.readOnly ? LISTINGS_BESIDE_WRITER : 1; ; left--) {
    try {
      return listingOf(env, await env.files.list(env.directory, isLogFile))
    } catch (error) {
      if (left <= 1 || !(error instanceof CorruptionError) || error.kind !== 'index') throw error
    }
  }
}

/** Nobody asks how long the other files are, and each answer costs a system call. */
function isLogFile(name: string): boolean {
  return name.endsWith('.log')
}

interface NamedEntry {
  readonly name: FileName
  readonly entry: DirectoryEntry
}

function listingOf(env: LogEnvironment, entries: readonly DirectoryEntry[]): SegmentListing {
  const named = entries.flatMap((entry) => {
    const name = entry.isDirectory ? undefined : parseFileName(entry.name)
    return name === undefined ? [] : [{ name, entry }]
  })
  const unfinished = named.find(
    ({ name: { transition } }) => transition === 'cleaned' || transition === 'swap',
  )
  if (unfinished !== undefined) throw interrupted(join(env.directory, unfinished.entry.name))
  const live = named.filter(({ name }) => name.transition === undefined)
  const present = new Set(live.map(({ entry }) => entry.name))
  const missing: string[] = []
  const logs = live
    .filter(({ name }) => name.kind === 'log')
    .sort(byBaseOffset)
    .filter((log) => {
      const lacking = lackingIndexes(env, log, present)
      missing.push(...lacking)
      // What is only read gets no files made: an empty segment has nothing to read anyway.
      return lacking.length === 0 || !env.readOnly
    })
    .map(({ name: { baseOffset }, entry: { sizeInBytes, modifiedMs } }) => ({
      baseOffset,
      sizeInBytes,
      modifiedMs,
    }))
  const leftovers = named.filter(({ name }) => isLeftover(name, present)).map(({ entry }) => entry.name)
  return { logs, missing, leftovers }
}

/** A deletion takes the `.log` first: a stop leaves its indexes, which are nobody's. */
function isLeftover({ baseOffset, kind, transition }: FileName, present: ReadonlySet<string>): boolean {
  if (transition !== undefined) return transition === 'deleted'
  return ORPHAN_KINDS.has(kind) && !present.has(fileName(baseOffset, 'log'))
}

function byBaseOffset(a: NamedEntry, b: NamedEntry): number {
  return a.name.baseOffset < b.name.baseOffset ? -1 : 1
}

function lackingIndexes(
  env: LogEnvironment,
  { name, entry }: NamedEntry,
  present: ReadonlySet<string>,
): string[] {
  const path = (file: string) => join(env.directory, file)
  if (entry.sizeInBytes > SEGMENT_BYTES_MAX) {
    throw corrupt('batch', path(entry.name), `${entry.sizeInBytes} bytes are more than a segment can have`)
  }
  const lacking = INDEX_KINDS.map((kind) => fileName(name.baseOffset, kind)).filter(
    (file) => !present.has(file),
  )
  const [first] = lacking
  if (first === undefined || entry.sizeInBytes === 0) return lacking
  throw corrupt(
    'index',
    path(first),
    'the file is missing beside a segment with records; restore it, or let a Kafka broker open the directory once to rebuild it',
  )
}

function interrupted(path: string): PartitionLogError {
  return new PartitionLogError(
    'ERR_UNCLEAN',
    `${path} is left from an interrupted cleaning; this version cannot finish it: let a Kafka broker open the directory once`,
    { path },
  )
}
