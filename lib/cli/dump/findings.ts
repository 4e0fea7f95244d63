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
  /**
   * By the first number: Kafka keeps one line for each, the last, and tells them rising or falling. Else one for each
   * finding, in the order in which they were found.
   */
  readonly order: 'found' | 'rising' | 'falling'
}

/** In the order in which they are told. */
const WORDS: Readonly<Record<FindingKind, Words>> = {
  'index-mismatch': {
    head: (path) => `Mismatches in :${path}`,
    line: (a, b) => `  Index offset: ${a}, log offset: ${b}`,
    names: ['indexOffset', 'logOffset'],
    isDamage: true,
    order: 'falling',
  },
  'timestamp-mismatch': {
    head: (path) => `Found timestamp mismatch in :${path}`,
    line: (a, b) => `  Index timestamp: ${a}, log timestamp: ${b}`,
    names: ['indexTimestamp', 'logTimestamp'],
    isDamage: true,
    order: 'found',
  },
  'timestamp-order': {
    head: (path) => `Found out of order timestamp in :${path}`,
    line: (a, b) => `  Index timestamp: ${a}, Previously indexed timestamp: ${b}`,
    names: ['indexTimestamp', 'previousTimestamp'],
    isDamage: true,
    order: 'found',
  },
  'offset-not-found': {
    head: (path) => `The following indexed offsets are not found in :${path}`,
    line: (a, b) => `Indexed offset: ${a}, found log offset: ${b}`,
    names: ['indexOffset', 'logOffset'],
    isDamage: true,
    order: 'found',
  },
  'non-consecutive': {
    head: (path) => `Non-consecutive offsets in ${path}`,
    line: (a, b) => `  ${a} is followed by ${b}`,
    names: ['offset', 'nextOffset'],
    isDamage: false,
    order: 'rising',
  },
}

/** Lines kept of a kind and file; a badly damaged index would have millions. */
const MAX_LINES = 10_000

/** What was found of a kind in a file. */
interface Kept {
  readonly kind: FindingKind
  readonly path: string
  /** Lines by what tells them apart. */
  readonly lines: Map<bigint, { readonly a: bigint; readonly text: string }>
  more: number
}

export class Findings {
  readonly #context: Context
  readonly #kept = new Map<string, Kept>()

  constructor(context: Context) {
    this.#context = context
  }

  /** Two numbers that do not agree in `path`. */
  async add(kind: FindingKind, path: string, a: bigint, b: bigint): Promise<void> {
    const { names, isDamage } = WORDS[kind]
    if (isDamage) this.damage()
    if (this.#context.json) {
      await this.#context.out.line(
        toJson({ file: path, type: 'finding', finding: kind, [names[0]]: a, [names[1]]: b }),
      )
    } else this.#keep(kind, path, a, b)
  }

  #keep(kind: FindingKind, path: string, a: bigint, b: bigint): void {
    const { head, line, order } = WORDS[kind]
    const kept = this.#kept.get(head(path)) ?? { kind, path, lines: new Map(), more: 0 }
    this.#kept.set(head(path), kept)
    const key = order === 'found' ? BigInt(kept.lines.size) : a
    if (kept.lines.size >= MAX_LINES && !kept.lines.has(key)) kept.more++
    else kept.lines.set(key, { a, text: line(`${a}`, `${b}`) })
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
    const kinds = Object.keys(WORDS)
    const all = [...this.#kept.values()].sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind))
    for (const kept of all) {
      const more = kept.more > 0 ? [`  and ${kept.more} more`] : []
      this.#context.tell([WORDS[kept.kind].head(kept.path), ...linesOf(kept), ...more].join('\n'))
    }
  }

  #raise(exitCode: number): void {
    this.#context.exitCode = Math.max(this.#context.exitCode, exitCode)
  }
}

function linesOf({ kind, lines }: Kept): string[] {
  const { order } = WORDS[kind]
  const all = [...lines.values()]
  if (order !== 'found') all.sort((a, b) => (a.a < b.a === (order === 'rising') ? -1 : 1))
  return all.map(({ text }) => text)
}
