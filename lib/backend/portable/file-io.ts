/**
 * System calls on descriptors, in the manner that the engine needs: whole
 * reads and writes, EINTR tried again, and every failure an `ioError` that
 * names call, errno, path and position. Nothing here knows a file's content.
 */

import fs from 'node:fs'
import { ioError } from '../../errors.js'
import type { FileLook, OpenMode } from '../contract.js'
import { LeasedFile } from '../leased-file.js'
import { errnoOf } from '../node-error.js'
import { MAX_FILE_SIZE } from '../room.js'

const LOG_FILE_MODE = 0o640

const FLAGS: Record<OpenMode, number> = {
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC,
  write: fs.constants.O_RDWR,
  read: fs.constants.O_RDONLY,
}

/** Any number as a position or a length of a file. */
export function clampPosition(position: number): number {
  return Math.max(0, Math.min(MAX_FILE_SIZE, Math.floor(position)))
}

/** Opens a regular file; the descriptor and its length. `EFBIG` above `MAX_FILE_SIZE`. */
export function openFile(path: string, mode: OpenMode): { fd: number; sizeInBytes: number } {
  const fd = call('open', path, () => fs.openSync(path, FLAGS[mode], LOG_FILE_MODE))
  try {
    const stat = call('fstat', path, () => fs.fstatSync(fd))
    if (stat.isDirectory()) throw ioError('open', 'EISDIR', path)
    if (stat.size > MAX_FILE_SIZE) throw ioError('open', 'EFBIG', path)
    return { fd, sizeInBytes: stat.size }
  } catch (error) {
    fs.closeSync(fd)
    throw error
  }
}

/** How long the file is now, whoever changed it. */
export function lengthOf(fd: number, path: string): number {
  return call('fstat', path, () => fs.fstatSync(fd)).size
}

/** Undefined where it is missing. */
export function lookAt(path: string): FileLook | undefined {
  const stats = call('stat', path, () => fs.statSync(path, { throwIfNoEntry: false }))
  return stats && { sizeInBytes: stats.size, modifiedMs: stats.mtimeMs, identity: stats.ino }
}

/** A descriptor that stays open while leased: its number must not be free under an operation on another thread. */
export function leasedFile(fd: number, path: string): LeasedFile {
  return new LeasedFile(fd, path, 'when-drained', () => call('close', path, () => fs.closeSync(fd)))
}

/** Fills `target[0, length)` from `position` on; less only where the file ends. Returns the bytes read. */
export function readFully(
  fd: number,
  path: string,
  target: Uint8Array,
  length: number,
  position: number,
): number {
  let done = 0
  while (done < length) {
    const at = position + done
    const read = call('read', path, () => fs.readSync(fd, target, done, length - done, at), at)
    if (read === 0) break
    done += read
  }
  return done
}

/** Writes all of `source[0, length)` at `position`. On failure a part may have been written. */
export function writeFully(
  fd: number,
  path: string,
  source: Uint8Array,
  length: number,
  position: number,
): void {
  let done = 0
  while (done < length) {
    const at = position + done
    const written = call('write', path, () => fs.writeSync(fd, source, done, length - done, at), at)
    if (written === 0) throw ioError('write', 'EIO', path, { position: at })
    done += written
  }
}

export function setLength(fd: number, path: string, sizeInBytes: number): void {
  call('ftruncate', path, () => fs.ftruncateSync(fd, sizeInBytes))
}

/** Data, and as much of the metadata as is needed to read it back. */
export function syncData(fd: number, path: string): void {
  call('fdatasync', path, () => fs.fdatasyncSync(fd))
}

/** Syncs a file or a directory by its path. Windows has no sync of directories and needs none. */
export function syncPath(path: string): void {
  if (process.platform === 'win32' && fs.statSync(path).isDirectory()) return
  const fd = call('open', path, () => fs.openSync(path, fs.constants.O_RDONLY))
  try {
    call('fsync', path, () => fs.fsyncSync(fd))
  } finally {
    fs.closeSync(fd)
  }
}

/** Runs one system call: again where a signal broke in, else its failure as an `ioError`. */
export function call<T>(syscall: string, path: string, action: () => T, position?: number): T {
  for (;;) {
    try {
      return action()
    } catch (error) {
      const errno = errnoOf(error)
      if (errno === 'EINTR') continue
      if (errno === undefined) throw error
      throw ioError(syscall, errno, path, position === undefined ? {} : { position }, error)
    }
  }
}
