/**
 * What `plog dump` has to print where kafka-dump-log printed this of one file.
 * The two are the same but for the rules here; docs/cli.md has each of them.
 */
import { readFileSync } from 'node:fs'
import type { Dump } from './dump.js'
import { hasDamagedHeader, translated } from './other-batches.js'

/** Differences, for a person to read; none where all is as it must be. */
export function differences(path: string, kafka: Dump, ours: Dump): string[] {
  const exception = exceptionIn(kafka)
  return [
    ...stdoutDifferences(path, kafka, ours),
    ...(exception === undefined ? stderrDifferences(path, kafka, ours) : untold(path, exception, ours)),
    ...exitCodeDifferences(path, kafka, ours),
  ]
}

/** The exception that ended Kafka's tool. */
export function exceptionIn({ stderr, exitCode }: Dump): string | undefined {
  if (exitCode === 0) return undefined
  return /^Exception in thread "main" ([\w.$]+)/m.exec(stderr)?.[1]
}

function stdoutDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  const wanted = withoutJavasWords(translated(path, kafka, ours).stdout)
  const printed = withoutJavasWords(ours.stdout.toString('latin1'))
  const isSame = goesOn(path, kafka) ? printed.startsWith(wanted) : printed === wanted
  return isSame ? [] : [firstDifference(wanted, printed)]
}

/** Kafka ends with an exception, where we tell of it and go on; but for a length in a log behind which nothing is known. */
function goesOn(path: string, kafka: Dump): boolean {
  const isLost = path.endsWith('.log') && /: Found record size -?\d+ smaller than minimum/.test(kafka.stderr)
  return exceptionIn(kafka) !== undefined && !isLost
}

/** Where a decoder misses bytes that a message of an old format claims, Kafka prints what Java says of that. */
function withoutJavasWords(stdout: string): string {
  const missing =
    /newLimit > capacity: \(\d+ > \d+\)|null|\d+ bytes are claimed at \d+ of the \d+ of offset -?\d+/.source
  return stdout.replace(new RegExp(`(Error at offset -?\\d+, skipping\\. )(?:${missing})$`, 'gm'), '$1')
}

function stderrDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  if (isUncheckable(path)) return []
  const { hasOthers } = translated(path, kafka, ours)
  const isLeftAside = (section: string) =>
    (hasOthers && (isError(section) || section.startsWith('Non-consecutive offsets in '))) ||
    (isCutShort(path) && isError(section))
  const told = toldFindings(path, kafka).filter((section) => !isLeftAside(section))
  const ourTold = sections(ours.stderr)
    .filter((section) => !isLeftAside(section))
    .map((section) => (isOfSnapshot(path, section) ? DAMAGED_SNAPSHOT : section))
  if (told.join('') === ourTold.join('')) return []
  return [`stderr, Kafka:\n${told.join('')}\nours:\n${ourTold.join('')}`]
}

/** Times of a batch whose header cannot be one: Kafka takes it for what it claims to be, and we say that it is none. */
function isUncheckable(path: string): boolean {
  return path.endsWith('.timeindex') && hasDamagedHeader(path.replace(/timeindex$/, 'log'))
}

function isError(section: string): boolean {
  return section.startsWith('plog: ERR_CORRUPT: ')
}

/** A last entry of aborted transactions that is cut short, which Kafka passes over. */
function isCutShort(path: string): boolean {
  return path.endsWith('.txnindex') && readFileSync(path).length % 34 !== 0
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

/** The zeros are told of once: as an offset that was not found, else as one whose timestamp is another. */
function withoutFirstEntry(path: string, told: readonly string[]): string[] {
  const baseOffset = BigInt(/(\d+)\.\w+$/.exec(path)?.[1] ?? 0)
  const ofZeros = [
    `^ {2}Index offset: ${baseOffset}, log offset: -?\\d+\n`,
    `^Indexed offset: ${baseOffset}, found log offset: -?\\d+\n`,
    '^ {2}Index timestamp: 0, log timestamp: -?\\d+\n',
  ].map((line) => new RegExp(line, 'm'))
  const first = ofZeros.find((line) => told.some((section) => line.test(section)))
  if (first === undefined) return [...told]
  return told.map((section) => section.replace(first, '')).filter((section) => section.split('\n').length > 2)
}

function hasNoEntry(path: string): boolean {
  const entryBytes = path.endsWith('.index') ? 8 : path.endsWith('.timeindex') ? 12 : undefined
  if (entryBytes === undefined) return false
  const first = readFileSync(path).subarray(0, entryBytes)
  return first.length === entryBytes && first.every((byte) => byte === 0)
}

function untold(path: string, exception: string, { stdout, stderr }: Dump): string[] {
  const isTold = TOLD.test(stderr) || UNKNOWN_CODEC.test(stdout.toString('latin1'))
  return isExcused(path, exception) || isTold ? [] : [`nothing is told of ${exception}: ${stderr}`]
}

/** That an entry of an index points to no batch is a mismatch, not an error. */
const TOLD =
  /^plog: ERR_|^ {2}Index offset: -?\d+, log offset: -1$|^Indexed offset: -?\d+, found log offset: -1$/m
/** A batch whose codec is not known has its line, which is not there in Kafka's output. */
const UNKNOWN_CODEC = / compresscodec: unknown\(\d\) /

/**
 * Kafka fails on the zeros of an index whose log has no first batch; on a time index at a length that cannot be,
 * wherever it is in the log; and for want of memory where a damaged length asks for it.
 */
function isExcused(path: string, exception: string): boolean {
  if (exception === 'java.lang.OutOfMemoryError') return true
  if (path.endsWith('.index')) return hasNoEntry(path) && hasNoFirstBatch(path.replace(/index$/, 'log'))
  return exception.endsWith('.CorruptRecordException') && path.endsWith('.timeindex')
}

function hasNoFirstBatch(log: string): boolean {
  const bytes = readFileSync(log)
  if (bytes.length <= 17) return true
  const length = bytes.readInt32BE(8)
  return length < 14 || length > bytes.length - 12
}

function exitCodeDifferences(path: string, kafka: Dump, ours: Dump): string[] {
  const exception = exceptionIn(kafka)
  // What Kafka would have found in the entries behind is not known then.
  if (exception !== undefined && path.endsWith('index') && isExcused(path, exception)) return []
  if (isUncheckable(path)) return []
  const exitCode = exitCodeFor(path, kafka, ours)
  return ours.exitCode === exitCode ? [] : [`exit code ${ours.exitCode}, not ${exitCode}`]
}

/** 1 where damage shows, 2 for a file that is none of a log's, 3 where one cannot be opened. */
function exitCodeFor(path: string, kafka: Dump, ours: Dump): number {
  const exception = exceptionIn(kafka)
  if (exception !== undefined && !isExcused(path, exception)) return EXIT_CODES[exception] ?? 1
  const { stdout } = translated(path, kafka, ours)
  const told = toldFindings(path, kafka)
  if (told.some((section) => section.startsWith('Ignoring unknown file '))) return 2
  const isDamaged =
    / isvalid: false$/m.test(stdout) ||
    /^Found \d+ invalid bytes at the end of /m.test(stdout) ||
    told.some((section) => !section.startsWith('Non-consecutive offsets in ')) ||
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
