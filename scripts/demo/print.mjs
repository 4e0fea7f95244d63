/**
 * What the demo prints: lines and tables on stdout; a progress bar on stderr,
 * and only on a terminal.
 */
import { SingleBar } from 'cli-progress'
import Table from 'cli-table3'

export function say(text) {
  console.log(text)
}

/** @param {number} ms */
export function seconds(ms) {
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`
}

/** A table without colours, so that it reads the same in a file. */
export function table(head, rows) {
  const colAligns = head.map(() => 'right')
  const printed = new Table({ head, colAligns, style: { head: [], border: [], compact: true } })
  printed.push(...rows)
  say(printed.toString())
}

/** @returns {{ at(done: number): void, end(): void }} a bar that does nothing away from a terminal */
export function progressBar(name, total) {
  if (!process.stderr.isTTY) return { at: () => undefined, end: () => undefined }
  const bar = new SingleBar({
    stream: process.stderr,
    clearOnComplete: true,
    format: `${name} [{bar}] {value}/{total} records`,
  })
  bar.start(total, 0)
  return { at: (done) => bar.update(done), end: () => bar.stop() }
}
