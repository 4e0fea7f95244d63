/** A machine whose backend fails where a test says, as a full or broken disk would. */
import type { Backend, LogFile } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { systemClock } from '../../lib/base/clock.js'
import { systemEntropy } from '../../lib/base/entropy.js'
import { ioError } from '../../lib/errors.js'
import type { Machine } from '../../lib/manager/machine.js'
import { backendUnderTest } from './backend.js'

export interface Faults {
  readonly machine: Machine
  /** The `nth` append from now on (1: the next) fails with `errno`; nothing is written. */
  failAppend(nth: number, errno: string): void
  /** Every flush from now on fails with `errno`. */
  failFlushes(errno: string): void
}

export function faultyMachine(): Faults {
  const real = backendUnderTest()
  let appendsLeft = Number.POSITIVE_INFINITY
  let appendErrno = ''
  let flushErrno: string | undefined

  /** The file itself is changed: a backend may only take its own. */
  function withFailingAppend(file: LogFile): LogFile {
    const append = file.append.bind(file)
    file.append = (...request) => {
      if (--appendsLeft === 0) throw ioError('write', appendErrno, file.path)
      append(...request)
    }
    return file
  }

  const backend: Backend = {
    name: real.name,
    crc32c: (...args) => real.crc32c(...args),
    records: real.records,
    openIndexFile: real.openIndexFile.bind(real),
    lockDirectory: (directory) => real.lockDirectory(directory),
    openLogFile: (path, options) => withFailingAppend(real.openLogFile(path, options)),
    openLane() {
      const lane = real.openLane()
      const flush = lane.flush.bind(lane)
      lane.flush = async (files) => {
        if (flushErrno !== undefined && files.length > 0)
          throw ioError('fdatasync', flushErrno, files[0]?.path ?? '')
        await flush(files)
      }
      return lane
    },
  }
  return {
    machine: { clock: systemClock, entropy: systemEntropy, files: nodeFiles, backend },
    failAppend(nth, errno) {
      appendsLeft = nth
      appendErrno = errno
    },
    failFlushes(errno) {
      flushErrno = errno
    },
  }
}
