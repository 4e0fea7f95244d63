/**
 * What a look at a log's files found to be wrong.
 */

import { CorruptionError, type CorruptionKind } from '../errors.js'

/** Something that is not as it should be. */
export interface Finding {
  readonly kind: CorruptionKind
  readonly path: string
  /** Byte in it; null where the whole file is meant. */
  readonly position: number | null
  readonly message: string
}

/** Any other error is thrown on. */
export function findingOf(error: unknown): Finding {
  if (!(error instanceof CorruptionError)) throw error
  const { kind = 'batch', path = '', position = null, message } = error
  const text = message.replace(`${path}${position === null ? '' : ` at position ${position}`}: `, '')
  return { kind, path, position, message: text }
}
