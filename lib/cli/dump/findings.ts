/**
 * What a dump finds amiss: told on stderr at the end, in kafka-dump-log's
 * words, or at once on stdout as JSON. Keeps the exit code.
 */

import type { Context } from '../context.js'
import { describeFailure, EXIT, exitCodeOf, UsageError } from '../failure.js'
import { toJson } from '../json.js'

export type FindingKind =
  | 'index-mismatch'
  | 'timestamp-mismatch'
  | 'timestamp-order'
  | 'offset-not-found'
  | 'non-consecutive'

interface Words {
  readonly head: (path: string) => string
  readonly line: (a: string, b: string) => string
  /** Names of the two numbers in JSON. */
  readonly names: readonly [string, string]
  /** Compaction leaves gaps; they are no damage. */
  readonly isDamage: boolean
}

/** In the order in which they are told. */
const WORDS: Readonly<Record<FindingKind, Words>> = {
  'index-mismatch': {
    head: (path) => `Mismatches in :${path}`,
    line: (a, b) => `  Index offset: ${a}, log offset: ${b}`,
    names: ['indexOffset', 'logOffset'],
    isDamage: true,
  },
  'timestamp-mismatch': {
    head: (path) => `Found timestamp mismatch in :${path}`,
    line: (a, b) => `  Index timestamp: ${a}, log timestamp: ${b}`,
    names: ['indexTimestamp', 'logTimestamp'],
    isDamage: true,
  },
  'timestamp-order': {
    head: (path) => `Found out of order timestamp in :${path}`,
    line: (a, b) => `  Index timestamp: ${a}, Previously indexed timestamp: ${b}`,
    names: ['indexTimestamp', 'previousTimestamp'],
    isDamage: true,
  },
  'offset-not-found': {
    head: (path) => `The following indexed offsets are not found in :${path}`,
    line: (a, b) => `Indexed offset: ${a}, found log offset: ${b}`,
    names: ['indexOffset', 'logOffset'],
    isDamage: true,
  },
  'non-consecutive': {
    head: (path) => `Non-consecutive offsets in ${path}`,
    line: (a, b) => `  ${a} is followed by ${b}`,
    names: ['offset', 'nextOffset'],
    isDamage: false,
  },
}

/** Lines kept of a kind and file; a badly damaged index would have millions. */
const MAX_LINES = 10_000

export class Findings {
  readonly #context: Context
  readonly #kept = new Map<string, { readonly lines: string[]; more: number }>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Two numbers that do not agree in `path`. */
  async add(kind: FindingKind, path: string, a: bigint, b: bigint): Promise<void> {
    const { head, line, names, isDamage } = WORDS[kind]
    if (isDamage) this.damage()
    if (this.#context.json) {
      await this.#context.out.line(
        toJson({ file: path, type: 'finding', finding: kind, [names[0]]: a, [names[1]]: b }),
      )
      return
    }
    const key = head(path)
    const kept = this.#kept.get(key) ?? { lines: [], more: 0 }
    this.#kept.set(key, kept)
    if (kept.lines.length < MAX_LINES) kept.lines.push(line(a.toString(), b.toString()))
    else kept.more++
  }

  /** Something is damaged, and has been told already. */
  damage(): void {
    this.#raise(EXIT.notSo)
  }

  /** Tells of an error that ended the dump of a file, or of a batch in it. */
  async fail(error: unknown, exitCode = exitCodeOf(error)): Promise<void> {
    // What was printed before it belongs before it.
    await this.#context.out.flush()
    this.#raise(exitCode)
    this.#context.io.stderr.write(describeFailure(error, this.#context.json))
  }

  /** Tells of a file that is none of a log's, in Kafka's words. */
  async ignore(path: string): Promise<void> {
    const text = `Ignoring unknown file ${path}`
    if (this.#context.json) return this.fail(new UsageError(text))
    this.#raise(EXIT.usage)
    this.#context.tell(text)
  }

  /** Tells what was found, by kind and file. */
  tell(): void {
    const order = Object.values(WORDS)
    const rank = (head: string) => order.findIndex((words) => head.startsWith(words.head('')))
    const heads = [...this.#kept.keys()].sort((a, b) => rank(a) - rank(b))
    for (const head of heads) {
      const { lines, more } = this.#kept.get(head) ?? { lines: [], more: 0 }
      this.#context.tell([head, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'))
    }
  }

  #raise(exitCode: number): void {
    this.#context.exitCode = Math.max(this.#context.exitCode, exitCode)
  }
}
