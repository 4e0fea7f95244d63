/**
 * Batches of a `.log` of which we print other lines than Kafka.
 *
 * One whose header cannot be one Kafka reads as if it could, beyond its end or
 * by the rules of another format; we print what can be said. And the libraries
 * of a codec differ in which damaged bytes they refuse.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { Dump } from './dump.js'

/** Least length of a batch of each magic, behind offset and length. */
const LEAST_LENGTHS: readonly number[] = [14, 22, 49]

/** Kafka's stdout, with such batches as we print them. */
export interface Translated {
  readonly stdout: string
  /** Whether there were some: then other gaps are found, and something is told of them. */
  readonly hasOthers: boolean
}

export function translated(path: string, kafka: Dump, ours: Dump): Translated {
  const stdout = kafka.stdout.toString('latin1')
  if (!path.endsWith('.log')) return { stdout, hasOthers: false }
  const damaged = damagedLines(path)
  const batches = batchesIn(stdout)
  const head = stdout.slice(0, stdout.length - batches.join('').length)
  const changed = batches.map((batch, index) => {
    const line = damaged[index] ?? (isRefused(batch, ours) ? batch.split('\n')[0] : undefined)
    return line === undefined ? batch : withoutRecords(line, batch)
  })
  return { stdout: [head, ...changed].join(''), hasOthers: changed.some((batch, n) => batch !== batches[n]) }
}

/** Whether there is a header in a `.log`, if it is there, that cannot be one. */
export function hasDamagedHeader(log: string): boolean {
  return existsSync(log) && damagedLines(log).some((line) => line !== undefined)
}

/** What has to stand for each batch: our line for one whose header cannot be, undefined for any other. */
function damagedLines(path: string): (string | undefined)[] {
  const bytes = readFileSync(path)
  const lines: (string | undefined)[] = []
  for (let position = 0; bytes.length - position > 17; ) {
    const length = bytes.readInt32BE(position + 8)
    if (length < 14 || length > bytes.length - position - 12) break
    const magic = bytes.readInt8(position + 16)
    const least = LEAST_LENGTHS[magic]
    const baseOffset = bytes.readBigInt64BE(position)
    const damaged = `baseOffset: ${baseOffset} position: ${position} size: ${12 + length} magic: ${magic} isvalid: false`
    lines.push(least === undefined || length < least ? damaged : undefined)
    position += 12 + length
  }
  return lines
}

/** A batch with its records begins at the start of a line. Keys and values with such lines in them are not for this. */
function batchesIn(stdout: string): string[] {
  const pieces = stdout.split(/^(?=(?:baseOffset|offset): -?\d+(?: |$))/m)
  return pieces.filter((piece) => /^(?:baseOffset|offset): /.test(piece))
}

/** Whether our codec refused a damaged batch that Kafka's opened. */
function isRefused(batch: string, { stderr }: Dump): boolean {
  const [, position] = / position: (\d+) .* isvalid: false\n/.exec(batch) ?? []
  return position !== undefined && new RegExp(` at position ${position}: \\w+ data is damaged: `).test(stderr)
}

/** Kafka may have ended within the line, or told of what is behind the last batch. */
function withoutRecords(line: string, batch: string): string {
  const trailing = /^Found \d+ invalid bytes at the end of .*\n/m.exec(batch)?.[0] ?? ''
  return batch.includes('\n') ? `${line}\n${trailing}` : ''
}
