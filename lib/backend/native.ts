/**
 * The native backend: the contract over the addon. Everything that decides or
 * builds an error is TypeScript; native code answers with facts.
 */

import { wrongType } from '../errors.js'
import type { Backend, OffsetIndexFile, OpenIndexOptions, TimeIndexFile } from './contract.js'
import { lockDirectory } from './directory-lock.js'
import type { NativeAddon } from './native/addon.js'
import { Answers } from './native/answers.js'
import { openNativeIndex } from './native/index-file.js'
import { kernelLocks } from './native/kernel-lock.js'
import { NativeLane } from './native/lane.js'
import { NativeLogFile } from './native/log-file.js'
import { nativeRecords } from './native/record-kernel.js'

/** A backend over an addon that has been proven (`load.ts`). */
export function createNativeBackend(addon: NativeAddon): Backend {
  const answers = new Answers(addon)

  function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
  function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile
  function openIndexFile(
    path: string,
    options: OpenIndexOptions & { kind: 'offset' | 'time' },
  ): OffsetIndexFile | TimeIndexFile {
    return openNativeIndex(addon, answers, path, options)
  }

  return {
    name: 'native',
    crc32c(bytes, start, end) {
      if (!(bytes instanceof Uint8Array)) throw wrongType('bytes', 'a Uint8Array', bytes)
      return addon.crc32c(bytes, start, end)
    },
    openLogFile: (path, options) => NativeLogFile.open(addon, answers, path, options),
    openIndexFile,
    openLane: (work) => new NativeLane(addon, answers, work === 'background'),
    lockDirectory: (directory) => lockDirectory(directory, kernelLocks(addon, answers)),
    records: nativeRecords(addon, answers),
  }
}
