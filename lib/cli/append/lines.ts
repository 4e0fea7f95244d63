/**
 * Bytes of a stream to lines, as kafka-console-producer reads them: a line
 * ends at `\n` or `\r\n`, which are not part of it, or with the input. What is
 * between is kept byte for byte; a `\r` elsewhere too.
 */

import type { Readable } from 'node:stream'
import { UsageError } from '../failure.js'
import type { Progress } from '../progress.js'

/** What one line may take of memory; a record is much smaller. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024

const NEWLINE = 0x0a
const RETURN = 0x0d

/**
 * The lines of each piece of input that comes in, together: what is in one
 * array was there at once. `stopped` tells that the end of `input` is no end of a
 * line: it was destroyed on purpose.
 */
export async function* splitLines(
  input: Readable,
  stopped: () => boolean,
  progress?: Pick<Progress, 'add'>,
): AsyncGenerator<Buffer[], void, undefined> {
  let rest: Buffer[] = []
  let restBytes = 0
  let lineNumber = 1
  for await (const chunk of unlessStopped(input, stopped)) {
    const lines: Buffer[] = []
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const tail = chunk.subarray(start, end)
      lines.push(withoutReturn(rest.length === 0 ? tail : Buffer.concat([...rest, tail])))
      rest = []
      restBytes = 0
      start = end + 1
    }
    lineNumber += lines.length
    progress?.add(chunk.length)
    if (lines.length > 0) yield lines
    if (start < chunk.length) rest.push(chunk.subarray(start))
    restBytes += chunk.length - start
    if (restBytes > MAX_LINE_BYTES)
      throw new UsageError(`line ${lineNumber} of the input is longer than ${MAX_LINE_BYTES} bytes`)
  }
  if (restBytes > 0 && !stopped()) yield [withoutReturn(Buffer.concat(rest))]
}

async function* unlessStopped(
  input: Readable,
  stopped: () => boolean,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of input) yield typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer)
  } catch (error) {
    // A stream that is destroyed ends its iteration with an error.
    if (!stopped()) throw error
  }
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line
}
