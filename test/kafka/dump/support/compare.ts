/**
 * What `plog dump` has to print where kafka-dump-log printed this of one file.
 * The two are the same but for the rules here; docs/cli.md has each of them.
 */
import { readFileSync } from 'node:fs'
import { hasDamagedHeader, withDamagedLines } from './headers.js'
import type { Dump } from './tools.js'

/** Differences, for a person to read; none where all is as it must be. */
export function differences(path: string, kafka: Dump, ours: Dump): string[] {
  const exception = exceptionIn(kafka)
  return [
    ...stdoutDifferences(path, kafka, ours),
    ...(exception === undefined ? stderrDifferences(path, kafka, ours) : untold(path, exception, ours)),
    ...exitCodeDifferences(path, kafka, ours),
  ]
}

/** Kafka ends with an exception, where we tell of it and go on. */
function stdoutDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  const [theirs, printed] = [kafka, ours].map(withoutMissingFields) as [string, string]
  const wanted = hasDamagedHeader(path, theirs) ? withDamagedLines(path, theirs) : theirs
  const isSame = exceptionIn(kafka) === undefined ? printed === wanted : printed.startsWith(wanted)
  return isSame ? [] : [firstDifference(wanted, printed)]
}

/** Where a decoder misses bytes that a message of an old format claims, Kafka prints what Java says of that. */
function withoutMissingFields({ stdout }: Dump): string {
  const missing = /newLimit > capacity: \(\d+ > \d+\)|\d+ bytes are claimed at \d+ of the \d+ of offset -?\d+/
  return stdout
    .toString('latin1')
    .replace(new RegExp(`(Error at offset -?\\d+, skipping\\. )(?:${missing.source})`, 'g'), '$1')
}

function stderrDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  const isLeftAside = hasDamagedBatch(path, kafka) ? isOfDamagedBatch : () => false
  const told = toldFindings(path, kafka).filter((section) => !isLeftAside(section))
  const ourTold = sections(ours.stderr)
    .filter((section) => !isLeftAside(section) && !isOfCutEntry(path, section))
    .map((section) => (isOfSnapshot(path, section) ? DAMAGED_SNAPSHOT : section))
  if (told.join('') === ourTold.join('')) return []
  return [`stderr, Kafka:\n${told.join('')}\nours:\n${ourTold.join('')}`]
}

function untold(path: string, exception: string, { stdout, stderr }: Dump): string[] {
  const isTold = TOLD.test(stderr) || UNKNOWN_CODEC.test(stdout.toString('latin1'))
  return isExcused(path, exception) || isTold ? [] : [`nothing is told of ${exception}: ${stderr}`]
}

/** A batch whose codec is not known has its line, which is not there in Kafka's output. */
const UNKNOWN_CODEC = / compresscodec: unknown\(\d\) /

/** That an entry of an index points to no batch is a mismatch, not an error. */
const TOLD = /^plog: ERR_|^ {2}Index offset: -?\d+, log offset: -1$|^Indexed offset: -?\d+, found log offset: -1$/m

function hasDamagedBatch(path: string, { stdout }: Dump): boolean {
  return hasDamagedHeader(path, stdout.toString('latin1'))
}

/** We say what is wrong with its header; Kafka counts its records among the log's. */
function isOfDamagedBatch(section: string): boolean {
  return section.startsWith('plog: ERR_CORRUPT: ') || section.startsWith('Non-consecutive offsets in ')
}

function isOfCutEntry(path: string, section: string): boolean {
  return section.startsWith('plog: ERR_CORRUPT: ') && isCutShort(path)
}

/** A last entry of aborted transactions that is cut short, which Kafka passes over. */
function isCutShort(path: string): boolean {
  return path.endsWith('.txnindex') && readFileSync(path).length % 34 !== 0
}

/** The exception that ended Kafka's tool. */
export function exceptionIn({ stderr, exitCode }: Dump): string | undefined {
  if (exitCode === 0) return undefined
  return /^Exception in thread "main" ([\w.$]+)/m.exec(stderr)?.[1]
}

/** Findings by file. Kafka tells of files in no order, ours in that in which they were given. */
function sections(stderr: string): string[] {
  return stderr
    .split(/^(?! {2}Index |Indexed offset: | {2}-?\d+ is followed by )/m)
    .filter((section) => section !== '')
    .sort()
}

/** What Kafka told, without the mismatches of an entry that is none: the zeros of an index that has no entry yet. */
function toldFindings(path: string, { stderr }: Dump): string[] {
  const told = sections(stderr).map((section) => (KAFKAS_SNAPSHOT.test(section) ? DAMAGED_SNAPSHOT : section))
  return hasNoEntry(path) ? withoutFirstEntry(path, told) : told
}

/** Of a snapshot that is none each tells in its own words. */
const DAMAGED_SNAPSHOT = 'a damaged snapshot'
const KAFKAS_SNAPSHOT = /^Snapshot (?:failed schema validation: |is corrupt \()/

function isOfSnapshot(path: string, section: string): boolean {
  return path.endsWith('.snapshot') && section.startsWith(`plog: ERR_CORRUPT: ${path}: `)
}

function withoutFirstEntry(path: string, told: readonly string[]): string[] {
  const baseOffset = BigInt(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0)
  const ofZeros = new RegExp(
    `^(?: {2}Index offset: ${baseOffset}, log offset| {2}Index timestamp: 0, log timestamp|Indexed offset: ${baseOffset}, found log offset): -?\\d+\n`,
    'm',
  )
  return told
    .map((section) => section.replace(ofZeros, ''))
    .filter((section) => section.split('\n').length > 2)
}

function hasNoEntry(path: string): boolean {
  const entryBytes = path.endsWith('.index') ? 8 : path.endsWith('.timeindex') ? 12 : undefined
  if (entryBytes === undefined) return false
  const first = readFileSync(path).subarray(0, entryBytes)
  return first.length === entryBytes && first.every((byte) => byte === 0)
}

/**
 * Kafka fails on the zeros of an index whose log is empty; for want of memory where a damaged length asks for it; and
 * on a time index at a length that cannot be, wherever it is in the log.
 */
function isExcused(path: string, exception: string): boolean {
  if (exception === 'java.util.NoSuchElementException') return hasNoEntry(path)
  if (exception.endsWith('.CorruptRecordException')) return path.endsWith('.timeindex')
  return exception === 'java.lang.OutOfMemoryError'
}

function exitCodeDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  const exception = exceptionIn(kafka)
  // Whether the entries are as they should be is not known then.
  if (exception !== undefined && path.endsWith('.timeindex') && isExcused(path, exception)) return []
  const exitCode = exitCodeFor(path, kafka)
  return ours.exitCode === exitCode ? [] : [`exit code ${ours.exitCode}, not ${exitCode}`]
}

/** 1 where damage shows, 2 for a file that is none of a log's, 3 where one cannot be opened. */
function exitCodeFor(path: string, kafka: Dump): number {
  const exception = exceptionIn(kafka)
  if (exception !== undefined && !hasNoEntry(path)) return EXIT_CODES[exception] ?? 1
  const text = kafka.stdout.toString('latin1')
  const told = toldFindings(path, kafka)
  if (told.some((section) => section.startsWith('Ignoring unknown file '))) return 2
  const isDamaged =
    / isvalid: false$/m.test(text) ||
    /^Found \d+ invalid bytes at the end of /m.test(text) ||
    told.some((section) => !section.startsWith('Non-consecutive offsets in ')) ||
    hasDamagedBatch(path, kafka) ||
    isCutShort(path)
  return isDamaged ? 1 : 0
}

/** Of exceptions that do not tell of damage. */
const EXIT_CODES: Readonly<Record<string, number>> = {
  'java.nio.file.NoSuchFileException': 3,
  'java.lang.NumberFormatException': 2,
}

function firstDifference(wanted: string, printed: string): string {
  const [theirs, our] = [wanted.split('\n'), printed.split('\n')]
  const at = theirs.findIndex((line, index) => line !== our[index])
  const index = at === -1 ? theirs.length : at
  return `stdout line ${index + 1} of ${theirs.length}, Kafka:\n${theirs[index]}\nours:\n${our[index]}`
}
