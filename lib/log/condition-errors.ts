/**
 * What the calls of a log throw that is closed or offline.
 */

import { ClosedError, type PartitionLogError } from '../errors.js'

export function closed(name: string): ClosedError {
  return new ClosedError('ERR_CLOSED', `${name} is closed; open it again to use it`)
}

export function offline(name: string, cause: PartitionLogError | undefined): ClosedError {
  const why = cause === undefined ? '' : `: ${cause.message}`
  return new ClosedError(
    'ERR_OFFLINE',
    `${name} is offline after a failed write${why}; close it, see to the disk, and open it again`,
    {},
    cause,
  )
}
