/**
 * A bar on stderr for work that takes a while: only on a terminal, only where
 * the amount is known and large, and never into the lines of stdout.
 */

import { Presets, SingleBar } from 'cli-progress'
import type { Context } from './context.js'
import { isTerminal } from './io.js'

export interface Progress {
  /** So many more bytes are done. */
  add(bytes: number): void
  /** Takes the bar away. */
  end(): void
}

/** What is done in a second or so needs no bar. */
const LARGE_BYTES = 64 * 1024 * 1024

const NO_PROGRESS: Progress = { add: () => undefined, end: () => undefined }

/** Progress through `totalBytes`; undefined where nobody knows them. */
export function byteProgress(context: Context, label: string, totalBytes: number | undefined): Progress {
  const { stderr, stdout } = context.io
  const shown = isTerminal(stderr) && !isTerminal(stdout) && (totalBytes ?? 0) >= LARGE_BYTES
  if (!shown || totalBytes === undefined) return NO_PROGRESS
  const bar = new SingleBar(
    { stream: stderr as NodeJS.WriteStream, format: `${label} {bar} {percentage}%`, clearOnComplete: true },
    Presets.shades_classic,
  )
  bar.start(totalBytes, 0)
  return { add: (bytes) => bar.increment(bytes), end: () => bar.stop() }
}
