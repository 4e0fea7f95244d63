/**
 * Directory entries and small files, for both backends: Node's own calls,
 * with errors in the package's form.
 */

import { constants, type Dirent, type Stats } from 'node:fs'
import {
  access,
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  statfs,
  unlink,
  utimes,
} from 'node:fs/promises'
import { join } from 'node:path'
import { corrupt } from '../errors.js'
import type { DirectoryEntry, FileLook, Files } from './contract.js'
import { isErrno, toIoError } from './node-error.js'

/** Files looked at at once while a directory is listed. */
const LIST_CONCURRENCY = 64

export const nodeFiles: Files = {
  async list(directory, measured = () => true) {
    const found = await attempt(directory, () => readdir(directory, { withFileTypes: true }))
    const isTold = (entry: Dirent) => (entry.isFile() || entry.isDirectory()) && !measured(entry.name)
    const entries: DirectoryEntry[] = found.filter(isTold).map((entry) => ({
      name: entry.name,
      isDirectory: entry.isDirectory(),
      sizeInBytes: 0,
      modifiedMs: 0,
      identity: 0,
    }))
    const others = found.filter((entry) => !isTold(entry))
    for (let from = 0; from < others.length; from += LIST_CONCURRENCY) {
      const chunk = others.slice(from, from + LIST_CONCURRENCY)
      for (const entry of await Promise.all(chunk.map(({ name }) => describeEntry(directory, name)))) {
        if (entry !== undefined) entries.push(entry)
      }
    }
    return entries
  },

  async look(path) {
    return unlessMissing(path, async () => lookOf(await stat(path)))
  },

  async read(path, maxBytes) {
    return unlessMissing(path, async () => {
      const handle = await open(path, 'r')
      try {
        const { size } = await handle.stat()
        if (size > maxBytes)
          throw corrupt('checkpoint', path, `${size} bytes are more than this file can have (${maxBytes})`)
        return await handle.readFile()
      } finally {
        await handle.close()
      }
    })
  },

  async write(path, bytes) {
    await attempt(path, async () => {
      const handle = await open(path, 'w', 0o640)
      try {
        await handle.writeFile(bytes)
      } finally {
        await handle.close()
      }
    })
  },

  async writeAt(path, position, bytes) {
    await attempt(path, async () => {
      const handle = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o640)
      try {
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done)
          done += bytesWritten
        }
      } finally {
        await handle.close()
      }
    })
  },

  async rename(from, to) {
    await attempt(from, () => rename(from, to))
  },

  async setModified(path, modifiedMs) {
    await attempt(path, () => utimes(path, modifiedMs / 1000, modifiedMs / 1000))
  },

  async copy(from, to) {
    await attempt(from, () => copyFile(from, to, constants.COPYFILE_EXCL))
  },

  async remove(path) {
    await unlessMissing(path, () => unlink(path))
  },

  async makeDirectory(path) {
    return (await attempt(path, () => mkdir(path, { recursive: true, mode: 0o750 }))) !== undefined
  },

  async isLink(path) {
    return (await unlessMissing(path, async () => (await lstat(path)).isSymbolicLink())) ?? false
  },

  async exists(path) {
    return (
      (await unlessMissing(path, async () => {
        await access(path)
        return true
      })) ?? false
    )
  },

  async removeDirectory(path) {
    await attempt(path, () => rm(path, { recursive: true, force: true }))
  },

  async freeBytes(path) {
    const { bavail, bsize } = await attempt(path, () => statfs(path))
    return bavail * bsize
  },
}

/** Undefined for an entry that went away since the directory was read. */
async function describeEntry(directory: string, name: string): Promise<DirectoryEntry | undefined> {
  const path = join(directory, name)
  const stats = await unlessMissing(path, () => followLink(path))
  if (stats === undefined) return undefined
  return { name, isDirectory: stats.isDirectory(), ...lookOf(stats) }
}

function lookOf(stats: Stats): FileLook {
  return {
    sizeInBytes: stats.isDirectory() ? 0 : stats.size,
    modifiedMs: stats.mtimeMs,
    identity: stats.ino,
  }
}

/** What a link points to counts; one that leads nowhere, or around in a ring, is described as itself. */
async function followLink(path: string): Promise<Stats> {
  try {
    return await stat(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ELOOP')) return lstat(path)
    throw error
  }
}

async function attempt<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw toIoError(error, path)
  }
}

async function unlessMissing<T>(path: string, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw toIoError(error, path)
  }
}
