/**
 * One offset checkpoint that many logs write their lines of. A write takes all
 * changes that came while the one before was running, so that closing a
 * thousand logs costs a few writes, not a thousand. Lines of logs that never
 * ask for a change stay as they are.
 *
 * The file is read once: who holds this holds the lock of the directory.
 */

import { join } from 'node:path'
import { type FileAccess, readText, writeAtomically } from './atomic-file.js'
import { formatOffsetCheckpoint, parseOffsetCheckpoint } from './offset-checkpoint.js'

/** New lines by log name; undefined takes a line out. */
export type CheckpointChanges = ReadonlyMap<string, bigint | undefined>

export class SharedCheckpoint {
  readonly #access: FileAccess
  readonly #path: string
  /** As the file holds it; undefined until read and while it is replaced, null for no file. */
  #stored: ReadonlyMap<string, bigint> | null | undefined
  /** Raised when a replacement begins and when it ends: odd while one is under way. */
  #replacements = 0
  #pending = new Map<string, bigint | undefined>()
  /** The write that will take what is pending. */
  #next: Promise<void> | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(access: FileAccess, directory: string, fileName: string) {
    this.#access = access
    this.#path = join(directory, fileName)
  }

  /** Throws what reading the file throws. */
  async check(): Promise<void> {
    await this.#read()
  }

  /** What the file says of `name`. `ERR_CORRUPT` where it cannot be read as a checkpoint. */
  async offsetOf(name: string): Promise<bigint | undefined> {
    return (await this.#read())?.get(name)
  }

  /** Resolves when the changes are on disk. One that failed changes nothing; the next tries all anew. */
  update(changes: CheckpointChanges): Promise<void> {
    for (const [name, offset] of changes) this.#pending.set(name, offset)
    this.#next ??= this.#running.then(() => this.#write())
    return this.#next
  }

  /** Resolves when no write is under way any more. */
  async idle(): Promise<void> {
    while (this.#next !== undefined) await this.#next.catch(() => undefined)
    await this.#running
  }

  async #write(): Promise<void> {
    const changes = this.#pending
    this.#pending = new Map()
    this.#next = undefined
    const writing = this.#writeChanges(changes)
    this.#running = writing.catch(() => undefined)
    return writing
  }

  async #writeChanges(changes: CheckpointChanges): Promise<void> {
    const stored = await this.#read()
    const offsets = new Map(stored)
    for (const [name, offset] of changes) {
      if (offset === undefined) offsets.delete(name)
      else offsets.set(name, offset)
    }
    if (stored !== null && isSame(stored, offsets)) return
    // Where this fails the file may hold either content: it is read again.
    this.#stored = undefined
    this.#replacements++
    try {
      await writeAtomically(this.#access, this.#path, formatOffsetCheckpoint(inOrder(offsets)))
      this.#stored = offsets
    } finally {
      this.#replacements++
    }
  }

  async #read(): Promise<ReadonlyMap<string, bigint> | null> {
    if (this.#stored !== undefined) return this.#stored
    const before = this.#replacements
    const text = await readText(this.#access.files, this.#path)
    const read = text === undefined ? null : parseOffsetCheckpoint(this.#path, text)
    // What was read beside a replacement may be the old content: good as an answer, not to write from.
    if (before === this.#replacements && before % 2 === 0) this.#stored = read
    return read
  }
}

/** By name, whoever came first: the same operations leave the same bytes. */
function inOrder(offsets: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  return new Map([...offsets].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isSame(a: ReadonlyMap<string, bigint>, b: ReadonlyMap<string, bigint>): boolean {
  if (a.size !== b.size) return false
  for (const [name, offset] of a) if (b.get(name) !== offset) return false
  return true
}
