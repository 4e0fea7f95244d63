/**
 * The portable backend: the whole contract in TypeScript, for platforms that
 * the addon was not built for, and as the measure that the addon is held to.
 */

import { crc32c } from '../../format/crc32c.js'
import type { Backend, OffsetIndexFile, OpenIndexOptions, TimeIndexFile } from '../contract.js'
import { lockDirectory } from '../directory-lock.js'
import { OFFSET_ENTRY, TIME_ENTRY } from './index-entries.js'
import { PortableIndexFile } from './index-file.js'
import { PortableLane } from './lane.js'
import { PortableLogFile } from './log-file.js'
import { portableRecords } from './record-kernel.js'

export function createPortableBackend(): Backend {
  return {
    name: 'portable',
    crc32c: (bytes, start, end) => crc32c(bytes, start, end),
    openLogFile: (path, options) => PortableLogFile.open(path, options),
    openIndexFile,
    openLane: () => new PortableLane(),
    lockDirectory: (directory) => lockDirectory(directory),
    records: portableRecords,
  }
}

function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile
function openIndexFile(
  path: string,
  options: OpenIndexOptions & { kind: 'offset' | 'time' },
): OffsetIndexFile | TimeIndexFile {
  return options.kind === 'offset'
    ? PortableIndexFile.open(OFFSET_ENTRY, path, options)
    : PortableIndexFile.open(TIME_ENTRY, path, options)
}
