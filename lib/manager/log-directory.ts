/**
 * A log directory as this process holds it: its lock, its clean-shutdown
 * marker and its checkpoints. Logs opened one by one share it: the first takes
 * the lock, the last gives it back. Only the lines of our own logs change in a
 * checkpoint.
 *
 * The marker is removed before any log is used and comes back when the last
 * log was closed, if all of them were closed cleanly.
 */

import { join } from 'node:path'
import type { Backend, DirectoryLock, FileLook, Files, Lane } from '../backend/contract.js'
import { makeDirectoryDurably, readText, writeAtomically } from '../checkpoint/atomic-file.js'
import { CLEAN_SHUTDOWN_CONTENT, CLEAN_SHUTDOWN_FILE } from '../checkpoint/clean-shutdown.js'
import {
  CLEANER_FILE,
  HIGH_WATERMARK_FILE,
  LOG_START_FILE,
  parseOffsetCheckpoint,
  RECOVERY_POINT_FILE,
} from '../checkpoint/offset-checkpoint.js'
import { type CheckpointChanges, SharedCheckpoint } from '../checkpoint/shared-checkpoint.js'
import { IoError } from '../errors.js'
import type { CheckpointedOffsets } from '../log/checkpointed-offsets.js'
import { classify } from './directory-listing.js'
import { hasSegments } from './has-segments.js'
import { closeLanes, type Lanes, openLanes } from './lanes.js'
import { DirectoryUsage } from './room-limits.js'

const CHECKPOINT_FILES = {
  recoveryPoint: RECOVERY_POINT_FILE,
  logStartOffset: LOG_START_FILE,
  highWatermark: HIGH_WATERMARK_FILE,
  firstDirtyOffset: CLEANER_FILE,
}

export type CheckpointKind = keyof typeof CHECKPOINT_FILES

/** In this order: records below a start that is gone must not be scanned for, but a low recovery point costs time alone. */
const OFFSET_KINDS = ['recoveryPoint', 'logStartOffset', 'highWatermark'] as const

/** Those that the log's own state has. */
export type OffsetKind = (typeof OFFSET_KINDS)[number]

/** What is lost with these costs time alone: a log is scanned, or cleaned, from its beginning. Without its start, deleted records would come back. */
const MAY_BE_DAMAGED: ReadonlySet<CheckpointKind> = new Set(['recoveryPoint', 'firstDirtyOffset'])

/** One log's lines; undefined takes a file's line out. */
export type OwnOffsets = Pick<CheckpointedOffsets, OffsetKind>

/** Name of a log that is its own log directory, in its own checkpoints. */
export const STANDALONE_NAME = 'log-0'

const NO_OFFSETS: OwnOffsets = {
  recoveryPoint: undefined,
  logStartOffset: undefined,
  highWatermark: undefined,
}

export class LogDirectory {
  readonly path: string
  readonly files: Files
  readonly flushLane: Lane
  readonly readLane: Lane
  /** What the logs that are open here take. */
  readonly usage = new DirectoryUsage()
  readonly #lock: DirectoryLock
  #wasClean = true
  /** What the marker is to hold: as it was found, until a log here was used. */
  #marker = CLEAN_SHUTDOWN_CONTENT
  readonly #checkpoints: Readonly<Record<CheckpointKind, SharedCheckpoint>>

  private constructor(path: string, files: Files, lock: DirectoryLock, lanes: Lanes) {
    this.path = path
    this.files = files
    this.#lock = lock
    this.flushLane = lanes.flushLane
    this.readLane = lanes.readLane
    const access = { files, lane: lanes.flushLane }
    const open = (kind: CheckpointKind) =>
      new SharedCheckpoint(access, path, CHECKPOINT_FILES[kind], MAY_BE_DAMAGED.has(kind))
    this.#checkpoints = {
      recoveryPoint: open('recoveryPoint'),
      logStartOffset: open('logStartOffset'),
      highWatermark: open('highWatermark'),
      firstDirtyOffset: open('firstDirtyOffset'),
    }
  }

  /**
   * Takes the lock (`ERR_LOCKED`), and the marker away. Makes the directory
   * where it is missing. `ERR_CORRUPT` for a damaged checkpoint of start
   * offsets or high watermarks; nothing was changed then.
   */
  static async open(path: string, backend: Backend, files: Files): Promise<LogDirectory> {
    const lanes = openLanes(backend)
    let directory: LogDirectory | undefined
    try {
      await makeDirectoryDurably({ files, lane: lanes.flushLane }, path)
      directory = new LogDirectory(path, files, backend.lockDirectory(path), lanes)
      await directory.#takeMarker()
      return directory
    } catch (error) {
      await (directory === undefined ? closeLanes(lanes) : directory.#letGo())
      throw error
    }
  }

  /** It had its marker, or no log lay in it: what lies in its logs needs no recovery. */
  get wasClean(): boolean {
    return this.#wasClean
  }

  /** What the checkpoints say of `name`. */
  async checkpointed(name: string): Promise<CheckpointedOffsets> {
    const { recoveryPoint, logStartOffset, highWatermark, firstDirtyOffset } = this.#checkpoints
    return {
      recoveryPoint: await recoveryPoint.offsetOf(name),
      logStartOffset: await logStartOffset.offsetOf(name),
      highWatermark: await highWatermark.offsetOf(name),
      firstDirtyOffset: await firstDirtyOffset.offsetOf(name),
    }
  }

  /** Writes the lines of `name`, but for the cleaner's; durable on return. */
  async checkpoint(name: string, own: OwnOffsets): Promise<void> {
    for (const kind of OFFSET_KINDS) await this.checkpointAll(kind, new Map([[name, own[kind]]]))
  }

  /** Writes lines of many logs into one checkpoint; durable on return. Nothing is written where nothing changes. */
  checkpointAll(kind: CheckpointKind, changes: CheckpointChanges): Promise<void> {
    return this.#checkpoints[kind].update(changes)
  }

  /** Takes the lines of a deleted log out of every checkpoint; durable on return. */
  async forget(name: string): Promise<void> {
    await this.checkpoint(name, NO_OFFSETS)
    await this.checkpointAll('firstDirtyOffset', new Map([[name, undefined]]))
  }

  /** A log of this directory is open: from now on the marker is this package's own. */
  used(): void {
    this.#marker = CLEAN_SHUTDOWN_CONTENT
  }

  /** Gives the lock back; with `clean`, the marker too. */
  async release(clean: boolean): Promise<void> {
    try {
      await Promise.all(Object.values(this.#checkpoints).map((checkpoint) => checkpoint.idle()))
      if (clean) await this.#putMarker()
    } finally {
      await this.#letGo()
    }
  }

  /** Its existence is what counts: on a full disk an empty one, which takes no block, serves as well. */
  async #putMarker(): Promise<void> {
    const marker = join(this.path, CLEAN_SHUTDOWN_FILE)
    try {
      await this.#replace(marker, this.#marker)
    } catch (error) {
      if (!(error instanceof IoError) || error.code !== 'ERR_DISK_FULL') throw error
      await this.files.remove(`${marker}.tmp`)
      await this.files.write(marker, new Uint8Array())
      await this.flushLane.flushPath(this.path)
    }
  }

  async #takeMarker(): Promise<void> {
    const marker = join(this.path, CLEAN_SHUTDOWN_FILE)
    const content = await readText(this.files, marker)
    for (const checkpoint of Object.values(this.#checkpoints)) await checkpoint.check()
    if (content === undefined) {
      // Without the marker any log here may need recovery. Where there is none, there is nothing to recover.
      this.#wasClean = (await this.logNames()).size === 0
      return
    }
    this.#marker = content
    try {
      await this.files.remove(marker)
      await this.flushLane.flushPath(this.path)
    } catch (error) {
      await this.files.write(marker, Buffer.from(content))
      throw error
    }
  }

  /** Logs with segments, those that a broker set aside too; the directory itself where it is one. */
  async logNames(): Promise<ReadonlySet<string>> {
    const names = new Set<string>()
    if (await hasSegments(this.files, this.path)) names.add(STANDALONE_NAME)
    const { logs, setAside } = classify(await this.files.list(this.path))
    for (const name of [...logs, ...setAside]) {
      if (await hasSegments(this.files, join(this.path, name))) names.add(name)
    }
    return names
  }

  #replace(path: string, content: string): Promise<void> {
    return writeAtomically({ files: this.files, lane: this.flushLane }, path, content)
  }

  async #letGo(): Promise<void> {
    await closeLanes(this)
    this.#lock.release()
  }
}

/** Gives what the checkpoints of `directory` say of `name`; changes nothing. A file is read again once it was replaced. */
export function checkpointReader(
  files: Files,
  directory: string,
  name: string,
): () => Promise<CheckpointedOffsets> {
  const known = new Map<string, { readonly look: FileLook; readonly offset: bigint | undefined }>()
  const of = async (file: string): Promise<bigint | undefined> => {
    const path = join(directory, file)
    const look = await files.look(path)
    const before = known.get(file)
    if (look !== undefined && before !== undefined && isSameFile(look, before.look)) return before.offset
    const text = await readText(files, path)
    const offset = text === undefined ? undefined : parseOffsetCheckpoint(path, text).get(name)
    if (look !== undefined) known.set(file, { look, offset })
    return offset
  }
  return async () => ({
    logStartOffset: await of(LOG_START_FILE),
    recoveryPoint: await of(RECOVERY_POINT_FILE),
    highWatermark: await of(HIGH_WATERMARK_FILE),
    firstDirtyOffset: await of(CLEANER_FILE),
  })
}

/** Checkpoints are replaced as a whole, by a rename. */
function isSameFile(one: FileLook, other: FileLook): boolean {
  return (
    one.identity === other.identity &&
    one.modifiedMs === other.modifiedMs &&
    one.sizeInBytes === other.sizeInBytes
  )
}
