/**
 * What a command is given of the process: arguments are read elsewhere, this
 * is where bytes go in and out. Tests hand in streams of their own.
 */

import { fstatSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'

export interface CliIo {
  readonly stdin: Readable
  /** Bytes that stdin has, where it is a file. */
  readonly stdinBytes: number | undefined
  readonly stdout: Writable
  readonly stderr: Writable
  readonly env: Readonly<Record<string, string | undefined>>
  /** Calls `run` at the first SIGINT or SIGTERM; the second one ends the process. Returns what takes it back. */
  onInterrupt(run: () => void): () => void
}

/** The streams and signals of this process. */
export const processIo: CliIo = {
  // Looked at only when it is read: a stream on stdin that nobody ends keeps a process alive.
  get stdin() {
    return process.stdin
  },
  get stdinBytes() {
    try {
      const stats = fstatSync(0)
      return stats.isFile() ? stats.size : undefined
    } catch {
      // A stdin that cannot be asked has no known size; reading it will tell what is wrong with it.
      return undefined
    }
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  onInterrupt(run) {
    const signals = ['SIGINT', 'SIGTERM'] as const
    const remove = () => {
      for (const signal of signals) process.off(signal, once)
    }
    const once = () => {
      remove()
      run()
    }
    for (const signal of signals) process.on(signal, once)
    return remove
  },
}

/** Whether a stream is a terminal. */
export function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}
