/**
 * Every error class and code of the package, one level deep.
 *
 * A caller tells errors apart by `code`, never by message. Fields hold what a
 * program needs (path, position, offset, expected, actual); the message says
 * the same to a person, and what to do about it. Wrong arguments are
 * TypeError or RangeError with a code, as Node's own are.
 */

export type ErrorCode =
  | 'ERR_BACKEND_UNAVAILABLE'
  | 'ERR_BATCH_TOO_LARGE'
  | 'ERR_CLOSED'
  | 'ERR_CODEC_NOT_LOADED'
  | 'ERR_CONFIG_INVALID'
  | 'ERR_CONFIG_MISMATCH'
  | 'ERR_CORRUPT'
  | 'ERR_DISK_FULL'
  | 'ERR_DUPLICATE_LOG'
  | 'ERR_INVALID_BATCH'
  | 'ERR_IO'
  | 'ERR_KEY_REQUIRED'
  | 'ERR_LOCKED'
  | 'ERR_NO_ROOM'
  | 'ERR_NOT_A_LOG'
  | 'ERR_OFFLINE'
  | 'ERR_OFFSET_CONFLICT'
  | 'ERR_OFFSET_OUT_OF_RANGE'
  | 'ERR_OUT_OF_ORDER_SEQUENCE'
  | 'ERR_PRODUCER_FENCED'
  | 'ERR_READ_ONLY'
  | 'ERR_TIMESTAMP_OUT_OF_BOUNDS'
  | 'ERR_UNCLEAN'
  | 'ERR_UNSUPPORTED'

/** What of a file is damaged; says which repair is possible. */
export type CorruptionKind =
  | 'torn-tail'
  | 'batch'
  | 'compression'
  | 'index'
  | 'checkpoint'
  | 'snapshot'
  | 'settings'

/** Data that an error carries beside its text. Only what applies is set. */
export interface ErrorFields {
  readonly path?: string
  /** Byte in `path`. */
  readonly position?: number
  readonly offset?: bigint
  readonly expected?: unknown
  readonly actual?: unknown
  readonly kind?: CorruptionKind
  /** Bytes of `path` that are good, from its start. */
  readonly validBytes?: number
  /** What cutting at `position` would take: bytes, and the sound batches among them. */
  readonly atStake?: {
    readonly bytes: number
    /** Null where no sound batch lies behind. */
    readonly firstOffset: bigint | null
    readonly nextOffset: bigint | null
  }
  /** System call and symbolic errno (`'ENOSPC'`) of a failed I/O operation. */
  readonly syscall?: string
  readonly errno?: string
  /** Process that holds a lock, where it is known. */
  readonly pid?: number
  /** Index of the record in the call's argument that is to blame. */
  readonly recordIndex?: number
  readonly logStartOffset?: bigint
  readonly logEndOffset?: bigint
}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns what it is given
export class PartitionLogError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, fields: ErrorFields = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = new.target.name
    this.code = code
    Object.assign(this, fields)
  }
}

// Declaration merging gives the fields their types without an assignment each.
export interface PartitionLogError extends ErrorFields {}

/** An offset below the log's start or above its end. */
export class OffsetOutOfRangeError extends PartitionLogError {}
/** A batch or record that was refused before anything was written. */
export class InvalidBatchError extends PartitionLogError {}
/** Bytes on disk that are not what Kafka's format allows. */
export class CorruptionError extends PartitionLogError {}
/** A system call failed. A full disk has the code `ERR_DISK_FULL`. */
export class IoError extends PartitionLogError {}
/** The directory is held by another process, thread or log. */
export class LockedError extends PartitionLogError {}
/** The log or manager was closed, or went offline after a failed write. */
export class ClosedError extends PartitionLogError {}
/** A setting that is unknown, out of bounds or other than the stored one. */
export class ConfigError extends PartitionLogError {}
/** Something that this build or version cannot do. */
export class UnsupportedError extends PartitionLogError {}

const FULL_DISK = new Set(['ENOSPC', 'EDQUOT'])

/**
 * The one factory of I/O errors: both backends hand it what the system said.
 * `errno` is symbolic (`'EACCES'`).
 */
export function ioError(
  syscall: string,
  errno: string,
  path: string,
  fields: ErrorFields = {},
  cause?: unknown,
): IoError {
  const code = FULL_DISK.has(errno) ? 'ERR_DISK_FULL' : 'ERR_IO'
  const at = fields.position === undefined ? '' : ` at position ${fields.position}`
  const message = `${syscall} failed with ${errno} on ${path}${at}${remedyFor(errno)}`
  return new IoError(code, message, { ...fields, path, syscall, errno }, cause)
}

function remedyFor(errno: string): string {
  switch (errno) {
    case 'ENOSPC':
    case 'EDQUOT':
      return ': free space on the volume, then try again'
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return ': give this process permission to the path, or open it with readOnly'
    case 'ENOENT':
      return ': the path does not exist'
    case 'EMFILE':
    case 'ENFILE':
      return ': raise the limit of open files'
    default:
      return ''
  }
}

/** Names what went wrong in a file, where, and what can be done. */
export function corrupt(
  kind: CorruptionKind,
  path: string,
  message: string,
  fields: ErrorFields = {},
  cause?: unknown,
): CorruptionError {
  const at = fields.position === undefined ? '' : ` at position ${fields.position}`
  return new CorruptionError('ERR_CORRUPT', `${path}${at}: ${message}`, { ...fields, kind, path }, cause)
}

/** A TypeError in Node's manner. */
export function wrongType(name: string, expected: string, actual: unknown): TypeError {
  const error = new TypeError(`${name} must be ${expected}, got ${describe(actual)}`)
  return Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
}

/** A RangeError in Node's manner. */
export function outOfRange(name: string, expected: string, actual: unknown): RangeError {
  const error = new RangeError(`${name} must be ${expected}, got ${describe(actual)}`)
  return Object.assign(error, { code: 'ERR_OUT_OF_RANGE' })
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value)
  if (typeof value === 'object') return `an ${value.constructor?.name ?? 'Object'}`
  if (typeof value === 'bigint') return `${value}n`
  return String(value)
}
