/**
 * An error as it crosses between threads: cloning one would lose its class,
 * its code and its fields.
 */

import {
  ClosedError,
  ConfigError,
  CorruptionError,
  type ErrorCode,
  type ErrorFields,
  InvalidBatchError,
  IoError,
  PartitionLogError,
  UnsupportedError,
} from '../errors.js'
import { CleaningAborted } from './clean-control.js'

const CLASSES = [
  CorruptionError,
  InvalidBatchError,
  IoError,
  UnsupportedError,
  ClosedError,
  ConfigError,
] as const

export type ThreadFailure =
  | { readonly kind: 'aborted' }
  | {
      readonly kind: 'own'
      /** Index in `CLASSES`; -1 for the base class. */
      readonly class: number
      readonly code: ErrorCode
      readonly message: string
      readonly fields: ErrorFields
    }
  | { readonly kind: 'other'; readonly error: Error }

export function failureOf(error: unknown): ThreadFailure {
  if (error instanceof CleaningAborted) return { kind: 'aborted' }
  if (!(error instanceof PartitionLogError))
    return { kind: 'other', error: error instanceof Error ? error : new Error(String(error)) }
  const { name: _, code, cause: __, ...fields } = error
  return {
    kind: 'own',
    class: CLASSES.findIndex((one) => error instanceof one),
    code,
    message: error.message,
    fields,
  }
}

export function errorOf(failure: ThreadFailure): Error {
  switch (failure.kind) {
    case 'aborted':
      return new CleaningAborted()
    case 'other':
      return failure.error
    case 'own': {
      const { code, message, fields } = failure
      return new (CLASSES[failure.class] ?? PartitionLogError)(code, message, fields)
    }
  }
}
