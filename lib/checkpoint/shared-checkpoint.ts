/**
 * One offset checkpoint that many logs write their lines of. A write takes all
 * changes that came while the one before was running, so that closing a
 * thousand logs costs a few writes, not a thousand. Lines of logs that never
 * ask for a change stay as they are.
 *
 * The file is read once: who holds this holds the lock of the directory.
 */

import { join } from 'node:path'
import { CorruptionError } from '../errors.js'
import { type FileAccess, readText, writeAtomically } from './atomic-file.js'
import { formatOffsetCheckpoint, parseOffsetCheckpoint } from './offset-checkpoint.js'

/** New lines by log name; undefined takes a line out. */
export type CheckpointChanges = ReadonlyMap<string, bigint | undefined>

export class SharedCheckpoint {
  readonly #access: FileAccess
  readonly #path: string
  readonly #mayBeDamaged: boolean
  /** As the file holds it, null for no file; undefined until it is asked for. Whoever asks meanwhile waits for the same read. */
  #stored: Promise<ReadonlyMap<string, bigint> | null> | undefined
  #pending = new Map<string, bigint | undefined>()
  /** The write that will take what is pending. */
  #next: Promise<void> | undefined
  #running: Promise<void> = Promise.resolve()

  /** `mayBeDamaged`: a file that cannot be read as a checkpoint says nothing, and the next write replaces it. */
  constructor(access: FileAccess, directory: string, fileName: string, mayBeDamaged = false) {
    this.#access = access
    this.#path = join(directory, fileName)
    this.#mayBeDamaged = mayBeDamaged
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

  /** Until it is done readers see what was there before: a read beside it could bring that back as the file's content. */
  async #writeChanges(changes: CheckpointChanges): Promise<void> {
    const stored = await this.#read()
    if (stored !== null && !changesAny(stored, changes)) return
    const offsets = new Map(stored)
    for (const [name, offset] of changes) {
      if (offset === undefined) offsets.delete(name)
      else offsets.set(name, offset)
    }
    try {
      await writeAtomically(this.#access, this.#path, formatOffsetCheckpoint(inOrder(offsets)))
      this.#stored = Promise.resolve(offsets)
    } catch (error) {
      // The file may hold either content: it is read again.
      this.#stored = undefined
      throw error
    }
  }

  #read(): Promise<ReadonlyMap<string, bigint> | null> {
    this.#stored ??= this.#readFile()
    return this.#stored
  }

  async #readFile(): Promise<ReadonlyMap<string, bigint> | null> {
    try {
      const text = await readText(this.#access.files, this.#path)
      return text === undefined ? null : parseOffsetCheckpoint(this.#path, text)
    } catch (error) {
      if (this.#mayBeDamaged && error instanceof CorruptionError) return null
      this.#stored = undefined
      throw error
    }
  }
}

/** By name, whoever came first: the same operations leave the same bytes. */
function inOrder(offsets: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  return new Map([...offsets].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** In the time of the changes, not of the file: a thousand logs ask one after the other. */
function changesAny(stored: ReadonlyMap<string, bigint>, changes: CheckpointChanges): boolean {
  for (const [name, offset] of changes) if (stored.get(name) !== offset) return true
  return false
}
