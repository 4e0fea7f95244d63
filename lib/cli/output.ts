/**
 * Stdout with back-pressure: small pieces are gathered, and a writer waits
 * while the other side does not read. When the reader has gone away
 * (`plog read … | head`), the next write throws `ReaderGone`, which ends a
 * command quietly.
 */

import type { Writable } from 'node:stream'

/** The reader of stdout closed it: nothing is wrong, and there is nothing more to do. */
export class ReaderGone extends Error {}

const GATHER_BYTES = 1 << 16

export class Output {
  readonly #stream: Writable
  #pieces: (string | Uint8Array)[] = []
  #gatheredBytes = 0
  #failure: Error | undefined
  #wake: (() => void) | undefined
  #flushSoon = false

  constructor(stream: Writable) {
    this.#stream = stream
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure ??= error.code === 'EPIPE' ? new ReaderGone() : error
      this.#wake?.()
    })
  }

  /** Takes one piece as it is. Await it where it gives a promise; gathered pieces leave at the end of the turn. */
  write(piece: string | Uint8Array): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure
    this.#pieces.push(piece)
    this.#gatheredBytes += piece.length
    if (this.#gatheredBytes >= GATHER_BYTES) return this.flush()
    this.#scheduleFlush()
    return undefined
  }

  line(text: string): Promise<void> | undefined {
    return this.write(`${text}\n`)
  }

  /** Resolves when the stream takes more. */
  async flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#send()) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      this.#stream.once('drain', resolve)
    })
    this.#wake = undefined
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Resolves when all that was written has left the process, or throws why it could not. */
  async end(): Promise<void> {
    await this.flush()
    await new Promise<void>((resolve) => this.#stream.write('', () => resolve()))
    if (this.#failure !== undefined) throw this.#failure
  }

  #scheduleFlush(): void {
    if (this.#flushSoon) return
    this.#flushSoon = true
    setImmediate(() => {
      this.#flushSoon = false
      if (this.#failure === undefined) this.#send()
    })
  }

  /** Hands on what was gathered; false where the stream wants a pause. */
  #send(): boolean {
    if (this.#pieces.length === 0) return !this.#stream.writableNeedDrain
    const joined = joinPieces(this.#pieces)
    this.#pieces = []
    this.#gatheredBytes = 0
    return this.#stream.write(joined)
  }
}

/** Views are copied here, so their memory may be used again afterwards. */
function joinPieces(pieces: readonly (string | Uint8Array)[]): string | Buffer {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('')
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}
