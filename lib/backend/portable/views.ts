/**
 * Files as the reading functions see them: plain values that cross to a lane's
 * thread, taken in the turn in which the operation is asked for. Descriptors
 * are valid in every thread of the process.
 */

export interface LogView {
  readonly fd: number
  readonly path: string
  readonly baseOffset: bigint
  /** The valid size at that time; nothing beyond is read. */
  readonly sizeInBytes: number
}

export interface IndexView {
  readonly fd: number
  readonly path: string
  readonly entries: number
}
