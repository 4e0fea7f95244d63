/**
 * How often each thing happened, all contenders agreeing: every operation with
 * its outcome, and what else must not be missing from a run. A run in which
 * one of them never happened has shown nothing about it, and fails.
 */

export class Tally {
  readonly #counts = new Map<string, number>()

  count(what: string, times = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times)
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0
  }

  missing(wanted: readonly string[]): string[] {
    return wanted.filter((what) => this.of(what) === 0)
  }

  toString(): string {
    const lines = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1))
    return lines.map(([what, times]) => `${`${times}`.padStart(8)}  ${what}`).join('\n')
  }
}
