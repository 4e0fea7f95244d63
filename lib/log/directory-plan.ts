/**
 * What lies in a log's directory and what is to become of it, from names
 * alone. Pure; follows Kafka's LogLoader.
 *
 * A cleaning or splitting writes `.cleaned`, renames all of them to `.swap`
 * from the highest base offset down, and only then replaces what was there. So
 * a `.swap` at or above the lowest `.cleaned` belongs to one that never got
 * that far, and every other one is to be put in place.
 */

import type { DirectoryEntry } from '../backend/contract.js'
import { type FileKind, type FileName, fileName, parseFileName } from '../segment/names.js'

/** A file of a segment. */
export interface NamedFile {
  readonly name: FileName
  /** How it is called in the directory. */
  readonly storedAs: string
  readonly sizeInBytes: number
  readonly modifiedMs: number
  readonly identity: number
}

/** Files that a stop left behind. */
export interface LeftFiles {
  /** Deleted: to be removed when all else is well. */
  readonly deleted: readonly string[]
  /** Of a cleaning or splitting that was not finished: to be removed before another one may begin. */
  readonly unfinished: readonly string[]
  /** Complete, to be put in place. */
  readonly swaps: readonly NamedFile[]
  /** All others of the directory's segments. */
  readonly live: readonly NamedFile[]
}

export function planLeftFiles(entries: readonly DirectoryEntry[]): LeftFiles {
  const files = entries.filter(({ isDirectory }) => !isDirectory)
  const named = files.map(namedFile).filter((file) => file !== undefined)
  const inTransition = (transition: FileName['transition']) =>
    named.filter(({ name }) => name.transition === transition)
  const cleaned = inTransition('cleaned')
  const lowestCleaned = cleaned.reduce<bigint | undefined>(
    (lowest, { name: { baseOffset } }) => (lowest === undefined || baseOffset < lowest ? baseOffset : lowest),
    undefined,
  )
  const isUnfinished = ({ name }: NamedFile) =>
    lowestCleaned !== undefined && name.baseOffset >= lowestCleaned
  const swaps = inTransition('swap')
  const unfinished = swaps.filter(isUnfinished)
  return {
    deleted: files.map(({ name }) => name).filter(isDeleted),
    unfinished: [...unfinished, ...cleaned].map(({ storedAs }) => storedAs),
    swaps: swaps.filter((file) => !isUnfinished(file)),
    live: inTransition(undefined),
  }
}

/** Snapshots of a metadata log are its own to remove. */
function isDeleted(name: string): boolean {
  return name.endsWith('.deleted') && !name.endsWith('.checkpoint.deleted')
}

function namedFile(entry: DirectoryEntry): NamedFile | undefined {
  const { name: storedAs, sizeInBytes, modifiedMs, identity } = entry
  const name = parseFileName(storedAs)
  return name && { name, storedAs, sizeInBytes, modifiedMs, identity }
}

/** Offsets that segments to be put in place take: from the lowest base offset up to the highest next offset. */
export interface SwapRange {
  readonly from: bigint
  readonly to: bigint
}

export interface SwapPlan {
  /** Replaced by what is put in place. */
  readonly remove: readonly string[]
  /** By rising base offset, the `.log` of each first. */
  readonly rename: readonly NamedFile[]
  /** The live files afterwards. */
  readonly live: readonly NamedFile[]
}

/** `range`: undefined where no `.log` is among the swaps; then only indexes are left to be renamed. */
export function planSwap({ swaps, live }: LeftFiles, range: SwapRange | undefined): SwapPlan {
  const isReplaced = ({ name: { baseOffset } }: NamedFile) =>
    range !== undefined && baseOffset >= range.from && baseOffset < range.to
  const rename = [...swaps].sort(byOffsetThenLog)
  const renamed = new Set(rename.map(liveName))
  const kept = live.filter((file) => !isReplaced(file) && !renamed.has(file.storedAs))
  return {
    remove: live.filter(isReplaced).map(({ storedAs }) => storedAs),
    rename,
    live: [...kept, ...rename.map((file) => ({ ...file, name: withoutTransition(file.name) }))],
  }
}

/** The name that a file gets when it is put in place. */
export function liveName({ name: { baseOffset, kind, transition }, storedAs }: NamedFile): string {
  // Already put in place, it has its new name only once it has been renamed.
  return transition === undefined && !storedAs.endsWith(SWAP) ? storedAs : fileName(baseOffset, kind)
}

function withoutTransition({ baseOffset, kind }: FileName): FileName {
  return { baseOffset, kind }
}

function byOffsetThenLog(a: NamedFile, b: NamedFile): number {
  if (a.name.baseOffset !== b.name.baseOffset) return a.name.baseOffset < b.name.baseOffset ? -1 : 1
  return Number(b.name.kind === 'log') - Number(a.name.kind === 'log')
}

/** One segment as it lies on disk. */
export interface StoredSegment {
  readonly baseOffset: bigint
  /** Of its `.log`. */
  readonly storedAs: string
  readonly sizeInBytes: number
  readonly modifiedMs: number
  /** As a directory's entry has it. */
  readonly identity: number
  /** Indexes that it does not have. */
  readonly lacks: readonly FileKind[]
}

export interface SegmentPlan {
  /** By rising base offset. */
  readonly segments: readonly StoredSegment[]
  /** Indexes without their `.log`, which a deletion takes first: to be removed. */
  readonly orphans: readonly string[]
}

const SWAP = '.swap'
const NOTHING: readonly FileKind[] = []
const INDEX_KINDS: readonly FileKind[] = ['index', 'timeindex']
const ORPHAN_KINDS: ReadonlySet<FileKind> = new Set(['index', 'timeindex', 'txnindex'])

const BASE_DIGITS = 20

/** The name of another file of the segment. */
function besides(file: NamedFile, kind: FileKind): string {
  return `${liveName(file).slice(0, BASE_DIGITS)}.${kind}`
}

function segmentOf(file: NamedFile, present: ReadonlySet<string>): StoredSegment {
  const { name, storedAs, sizeInBytes, modifiedMs, identity } = file
  const isWhole = INDEX_KINDS.every((kind) => present.has(besides(file, kind)))
  const lacks = isWhole ? NOTHING : INDEX_KINDS.filter((kind) => !present.has(besides(file, kind)))
  return { baseOffset: name.baseOffset, storedAs, sizeInBytes, modifiedMs, identity, lacks }
}

export function planSegments(live: readonly NamedFile[]): SegmentPlan {
  const present = new Set(live.map(liveName))
  // Names rise as their offsets do: no number has to be written out.
  const segments = live
    .filter(({ name }) => name.kind === 'log')
    .sort((a, b) => (liveName(a) < liveName(b) ? -1 : 1))
    .map((file) => segmentOf(file, present))
  const isOrphan = (file: NamedFile) => ORPHAN_KINDS.has(file.name.kind) && !present.has(besides(file, 'log'))
  return { segments, orphans: live.filter(isOrphan).map(({ storedAs }) => storedAs) }
}
