/**
 * What `plog dump` has to print where kafka-dump-log printed this of one file.
 * The two are the same but for the rules here; docs/cli.md has each of them.
 */
import { readFileSync } from 'node:fs'
import type { Dump } from './tools.js'

/** Differences, for a person to read; none where all is as it must be. */
export function differences(path: string, kafka: Dump, ours: Dump): string[] {
  const exception = exceptionIn(kafka)
  const [wanted, printed] = [kafka.stdout.toString('latin1'), ours.stdout.toString('latin1')]
  const found: string[] = []
  // Kafka ends with an exception, where we tell of it and go on.
  if (exception === undefined ? wanted !== printed : !printed.startsWith(wanted))
    found.push(firstDifference(wanted, printed))
  const told = toldFindings(path, kafka)
  const ourTold = sections(ours.stderr)
  if (exception === undefined && told.join('') !== ourTold.join(''))
    found.push(`stderr, Kafka:\n${told.join('')}\nours:\n${ourTold.join('')}`)
  if (exception !== undefined && !isExcused(path, exception) && !TOLD.test(ours.stderr))
    found.push(`nothing is told of ${exception}: ${ours.stderr}`)
  const exitCode = exitCodeFor(path, kafka)
  if (exception === undefined && ours.exitCode !== exitCode)
    found.push(`exit code ${ours.exitCode}, not ${exitCode}`)
  return found
}

/** An entry of an index that points to no batch is a mismatch, not an error. */
const TOLD = /^plog: ERR_|^ {2}Index offset: -?\d+, log offset: -1$/m

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
  return hasNoEntry(path) ? withoutFirstEntry(path, sections(stderr)) : sections(stderr)
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

/** Kafka fails on the zeros of an index whose log is empty. */
function isExcused(path: string, exception: string): boolean {
  return exception === 'java.util.NoSuchElementException' && hasNoEntry(path)
}

/** 1 where damage shows, 2 for a file that is none of a log's. */
function exitCodeFor(path: string, kafka: Dump): number {
  const text = kafka.stdout.toString('latin1')
  const told = toldFindings(path, kafka)
  if (told.some((section) => section.startsWith('Ignoring unknown file '))) return 2
  const isDamaged =
    / isvalid: false$/m.test(text) ||
    /^Found \d+ invalid bytes at the end of /m.test(text) ||
    told.some((section) => !section.startsWith('Non-consecutive offsets in '))
  return isDamaged ? 1 : 0
}

function firstDifference(wanted: string, printed: string): string {
  const [theirs, our] = [wanted.split('\n'), printed.split('\n')]
  const at = theirs.findIndex((line, index) => line !== our[index])
  const index = at === -1 ? theirs.length : at
  return `stdout line ${index + 1} of ${theirs.length}, Kafka:\n${theirs[index]}\nours:\n${our[index]}`
}
