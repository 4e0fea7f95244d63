/**
 * Which errors tell of bytes that cannot be read, and not of this program or
 * machine, and where those bytes are.
 */

import {
  CorruptionError,
  corrupt,
  InvalidBatchError,
  PartitionLogError,
  UnsupportedError,
} from '../../errors.js'
import type { BatchSource } from '../../format/batch.js'
import { UndecodableError } from './decode/class-decoders.js'
import { MessageError } from './decode/message-reader.js'

const OF_BYTES = [CorruptionError, InvalidBatchError, UnsupportedError, MessageError, UndecodableError]

/** The error to tell of; `what` of the batch there it is about. Throws an error that is about something else. */
export function damageOf(error: unknown, { path, position }: BatchSource, what = ''): Error {
  // A RangeError: a number that leads outside of the bytes.
  if (!OF_BYTES.some((kind) => error instanceof kind) && !(error instanceof RangeError)) throw error
  const { message } = error as Error
  if (error instanceof PartitionLogError) {
    if (error.path !== undefined) return error
    const { code } = error
    // What this version cannot read is no damage.
    if (code !== 'ERR_INVALID_BATCH' && code !== 'ERR_CORRUPT')
      return new PartitionLogError(
        code,
        `${path} at position ${position}: ${what}${message}`,
        { path, position },
        error,
      )
  }
  return corrupt('batch', path, `${what}${message}`, { position }, error)
}
