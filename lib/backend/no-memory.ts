/** Memory that cannot be had, as an error with a code: the engine's call fails, the process goes on. */

import { IoError } from '../errors.js'

export function noMemory(what: string, sizeInBytes: number, cause?: unknown): IoError {
  const fields = { syscall: 'allocate', errno: 'ENOMEM' }
  return new IoError('ERR_IO', `there is no memory for ${what} of ${sizeInBytes} bytes`, fields, cause)
}

/** What `allocate` gives; where JavaScript refuses the memory, the same error as native code's. */
export function withMemory<T>(what: string, sizeInBytes: number, allocate: () => T): T {
  try {
    return allocate()
  } catch (error) {
    if (error instanceof RangeError) throw noMemory(what, sizeInBytes, error)
    throw error
  }
}
