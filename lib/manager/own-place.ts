/**
 * A log is written only where it lies: the lock that keeps others out is that
 * of the directory above, and says nothing of where a link leads to.
 */

import type { Files } from '../backend/contract.js'
import { UnsupportedError } from '../errors.js'

/** Throws `ERR_UNSUPPORTED` for a log's directory that is a symbolic link. Kafka takes it, and two names for one log. */
export async function assertOwnPlace(files: Files, directory: string): Promise<void> {
  if (!(await files.isLink(directory))) return
  throw new UnsupportedError(
    'ERR_UNSUPPORTED',
    `${directory} is a link: the lock of its log directory does not hold for what it leads to; open that by its own path, or this one with readOnly: true`,
    { path: directory },
  )
}
