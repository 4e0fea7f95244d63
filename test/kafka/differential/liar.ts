/** A contender that does as another, and then tells or leaves something else: to see that a comparison notices. */
import type { Contender, LogState, Opening, Outcome } from './contender.js'
import type { Operation } from './operation.js'

export interface Lies {
  /** What it tells of an operation. */
  readonly tells?: (operation: Operation, outcome: Outcome) => Outcome
  /** What it does to its directory when an operation is done, or when it is closed. */
  readonly does?: (after: Operation['op'] | 'close', directory: string) => void
}

export class Liar implements Contender {
  readonly name: string
  readonly directory: string
  readonly #honest: Contender
  readonly #lies: Lies

  constructor(honest: Contender, lies: Lies) {
    this.name = `${honest.name}, lying`
    this.directory = honest.directory
    this.#honest = honest
    this.#lies = lies
  }

  open(opening: Opening, topicId: string | null): Promise<LogState> {
    return this.#honest.open(opening, topicId)
  }

  async apply(operation: Operation): Promise<Outcome> {
    const outcome = await this.#honest.apply(operation)
    this.#lies.does?.(operation.op, this.directory)
    return this.#lies.tells?.(operation, outcome) ?? outcome
  }

  async close(): Promise<void> {
    await this.#honest.close()
    this.#lies.does?.('close', this.directory)
  }

  abandon(): Promise<void> {
    return this.#honest.abandon()
  }
}
