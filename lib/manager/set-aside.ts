/**
 * Takes a deleted log's directory out of sight: it gets the name under which
 * it waits for its removal.
 */

import { join } from 'node:path'
import type { Logger } from '../base/logger.js'
import { IoError } from '../errors.js'
import type { LogDirectory } from './log-directory.js'

/**
 * The new path, on disk on return. Undefined where somebody has removed the
 * log's directory by hand: that is no reason to fail, as long as the directory
 * above is there.
 */
export async function setAside(
  { path, files, flushLane }: LogDirectory,
  logger: Logger,
  name: string,
  newName: string,
): Promise<string | undefined> {
  const [from, to] = [join(path, name), join(path, newName)]
  try {
    await files.rename(from, to)
  } catch (error) {
    const isGone = error instanceof IoError && error.errno === 'ENOENT' && (await files.exists(path))
    if (!isGone) throw error
    logger.warn({ log: name }, `${from} was gone already when ${name} was to be deleted`)
    return undefined
  }
  await flushLane.flushPath(path)
  logger.info({ log: name }, `Log for partition ${name} is renamed to ${to} and is scheduled for deletion`)
  return to
}
