/**
 * Everything that a recovery writes. `FileChanges` does it, each step so that
 * a stop after it leaves what the next start recovers the same way;
 * `NoChanges` does nothing, for whoever only asks what would be done.
 */

import { basename, join } from 'node:path'
import { IoError } from '../../errors.js'
import { type FileKind, fileName, SEGMENT_FILE_KINDS } from '../../segment/names.js'
import type { StoredSegment } from '../directory-plan.js'
import type { LogEnvironment } from '../log-environment.js'

export interface Indexes {
  readonly offsetEntries: Uint8Array
  readonly timeEntries: Uint8Array
}

export interface Changes {
  remove(names: readonly string[]): Promise<void>
  rename(from: string, to: string): Promise<void>
  flushDirectory(): Promise<void>
  /** From the highest down: what a stop leaves is a shorter log, never one with a hole. Durable on return. */
  removeSegments(segments: readonly StoredSegment[]): Promise<void>
  /** Cuts the `.log`; durable on return, and no index is left that reaches further. */
  cut(segment: StoredSegment, position: number): Promise<void>
  /** On return the `.log`, as it is, and the indexes are on disk. */
  keep(segment: StoredSegment, indexes: Indexes): Promise<void>
  write(name: string, bytes: Uint8Array): Promise<void>
  /** Copies of what is about to be cut or removed; where they are. */
  copyAway(names: readonly string[]): Promise<readonly string[]>
}

const ALL_KINDS: readonly FileKind[] = [...SEGMENT_FILE_KINDS, 'snapshot']

export class FileChanges implements Changes {
  /** Renamed to `.deleted`, still to be removed. */
  readonly deleted: string[] = []
  readonly #env: LogEnvironment
  readonly #quarantine: string | undefined

  constructor(env: LogEnvironment, quarantine: string | undefined) {
    this.#env = env
    this.#quarantine = quarantine
  }

  async remove(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#env.files.remove(this.#path(name))
  }

  rename(from: string, to: string): Promise<void> {
    return this.#env.files.rename(this.#path(from), this.#path(to))
  }

  flushDirectory(): Promise<void> {
    return this.#env.flushLane.flushPath(this.#env.directory)
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#env.files.write(this.#path(name), bytes)
  }

  async removeSegments(segments: readonly StoredSegment[]): Promise<void> {
    for (const { baseOffset } of [...segments].reverse()) {
      for (const kind of ALL_KINDS) await this.#delete(fileName(baseOffset, kind))
      // Each for itself: a rename that is lost must not leave a segment behind one that is gone.
      await this.flushDirectory()
    }
  }

  async cut(segment: StoredSegment, position: number): Promise<void> {
    const { baseOffset } = segment
    await this.remove([fileName(baseOffset, 'index'), fileName(baseOffset, 'timeindex')])
    await this.flushDirectory()
    const { backend, flushLane } = this.#env
    const log = backend.openLogFile(this.#path(segment.storedAs), { mode: 'write', baseOffset })
    try {
      log.truncate(position)
      await flushLane.flush([log])
    } finally {
      await log.close()
    }
  }

  async keep({ baseOffset, storedAs }: StoredSegment, indexes: Indexes): Promise<void> {
    const { flushLane } = this.#env
    await flushLane.flushPath(this.#path(storedAs))
    const made = [
      [fileName(baseOffset, 'index'), indexes.offsetEntries],
      [fileName(baseOffset, 'timeindex'), indexes.timeEntries],
    ] as const
    for (const [name, entries] of made) {
      const unfinished = `${name}.cleaned`
      await this.write(unfinished, entries)
      await flushLane.flushPath(this.#path(unfinished))
      await this.rename(unfinished, name)
    }
    await this.flushDirectory()
  }

  async copyAway(names: readonly string[]): Promise<readonly string[]> {
    if (this.#quarantine === undefined) return []
    const { files, flushLane, name } = this.#env
    const directory = join(this.#quarantine, name)
    await files.makeDirectory(directory)
    const copies: string[] = []
    for (const from of names) {
      if (!(await files.exists(this.#path(from)))) continue
      const to = await this.#freeName(join(directory, basename(from)))
      await files.copy(this.#path(from), to)
      await flushLane.flushPath(to)
      copies.push(to)
    }
    await flushLane.flushPath(directory)
    await flushLane.flushPath(this.#quarantine)
    return copies
  }

  /** An earlier recovery's copies stay. */
  async #freeName(path: string): Promise<string> {
    for (let n = 1; ; n++) {
      const candidate = n === 1 ? path : `${path}.${n}`
      if (!(await this.#env.files.exists(candidate))) return candidate
    }
  }

  async #delete(name: string): Promise<void> {
    const path = this.#path(name)
    try {
      await this.#env.files.rename(path, `${path}.deleted`)
      this.deleted.push(`${path}.deleted`)
    } catch (error) {
      if (!(error instanceof IoError) || error.errno !== 'ENOENT') throw error
    }
  }

  #path(name: string): string {
    return join(this.#env.directory, name)
  }
}

/** For a dry run. */
export class NoChanges implements Changes {
  remove = done
  rename = done
  flushDirectory = done
  removeSegments = done
  cut = done
  keep = done
  write = done
  copyAway = () => Promise.resolve([])
}

function done(): Promise<void> {
  return Promise.resolve()
}

/** The files of a segment that can be there. */
export function filesOf({ baseOffset }: StoredSegment): string[] {
  return ALL_KINDS.map((kind) => fileName(baseOffset, kind))
}
