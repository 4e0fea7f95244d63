/**
 * The kernel's lock on a file: of the same kind as a broker's, so that each
 * keeps the other out, and other threads of this process as well. What a lock
 * of a directory is beside that is `../directory-lock.ts`'s.
 */

import type { KernelLockPrimitive } from '../directory-lock.js'
import type { NativeAddon } from './addon.js'
import type { Answers } from './answers.js'

export function kernelLocks(addon: NativeAddon, answers: Answers): KernelLockPrimitive {
  return {
    tryLock(path) {
      const handle = addon.lock_acquire(path)
      if (handle !== undefined) return { release: () => addon.lock_release(handle) }
      answers.check(path)
      return 'held'
    },
  }
}
