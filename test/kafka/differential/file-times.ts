/**
 * Gives our `.log` files the script's time, as the driver does with Kafka's:
 * an opening takes it for when they were last written to.
 */
import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'

export class FileTimes {
  readonly #given = new Map<string, number>()

  /** Call after each operation. A file that nothing has written since keeps its time. */
  stamp(directory: string, nowMs: number): void {
    for (const name of readdirSync(directory)) {
      const path = join(directory, name)
      if (!name.endsWith('.log') || statSync(path).mtimeMs === this.#given.get(path)) continue
      utimesSync(path, nowMs / 1000, nowMs / 1000)
      this.#given.set(path, statSync(path).mtimeMs)
    }
  }
}
