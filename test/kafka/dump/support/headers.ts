/**
 * Batches whose header cannot be one: Kafka reads them as if it could, beyond
 * their ends or by rules of another format, and we say what can be said.
 */
import { readFileSync } from 'node:fs'

/** Least length of a batch of each magic, behind offset and length. */
const LEAST_LENGTHS: readonly number[] = [14, 22, 49]

/** What has to stand for each batch of a `.log`: our line for one whose header cannot be, undefined for any other. */
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

/** Whether there is one among the batches of which `stdout` tells, which is Kafka's. */
export function hasDamagedHeader(path: string, stdout: string): boolean {
  if (!path.endsWith('.log')) return false
  const printed = damagedLines(path).slice(0, batchesIn(stdout).length)
  return printed.some((line) => line !== undefined)
}

/** Kafka's output with our lines for such batches, and without what it printed as their records. */
export function withDamagedLines(path: string, stdout: string): string {
  const damaged = damagedLines(path)
  const batches = batchesIn(stdout)
  const head = stdout.slice(0, stdout.length - batches.join('').length)
  const changed = batches.map((batch, index) => {
    const line = damaged[index]
    if (line === undefined) return batch
    const trailing = /^Found \d+ invalid bytes at the end of .*\n/m.exec(batch)?.[0] ?? ''
    // It may have ended within the line.
    return batch.includes('\n') ? `${line}\n${trailing}` : ''
  })
  return [head, ...changed].join('')
}

/** A batch with its records begins at the start of a line. Keys and values with such lines in them are not for this. */
function batchesIn(stdout: string): string[] {
  const pieces = stdout.split(/^(?=(?:baseOffset|offset): -?\d+(?: |$))/m)
  return pieces.filter((piece) => /^(?:baseOffset|offset): /.test(piece))
}
