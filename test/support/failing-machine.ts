/**
 * A machine whose calls are counted, kind by kind, and of which any can be made
 * to fail as a broken or full disk would: the kth of a kind, those that a test
 * picks by path, or all from one on. A call that fails does nothing.
 */
import type {
  Backend,
  Files,
  Lane,
  LogFile,
  OffsetIndexFile,
  OpenIndexOptions,
  TimeIndexFile,
} from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { ioError } from '../../lib/errors.js'
import type { Machine } from '../../lib/manager/machine.js'
import { OpenSegments } from '../../lib/segment/open-segments.js'
import { inlineCleaner } from './inline-cleaner.js'
import { seededEntropy, TestClock } from './machine.js'
import { swiftBackend } from './swift-backend.js'

/** Kinds of calls, and the system call that their errors name. */
const SYSCALLS = {
  list: 'scandir',
  read: 'read',
  write: 'write',
  rename: 'rename',
  setModified: 'utime',
  remove: 'unlink',
  exists: 'access',
  isLink: 'lstat',
  makeDirectory: 'mkdir',
  removeDirectory: 'rm',
  lockDirectory: 'open',
  openLogFile: 'open',
  openIndexFile: 'open',
  append: 'write',
  truncateLog: 'ftruncate',
  trim: 'ftruncate',
  resizeIndex: 'ftruncate',
  flush: 'fdatasync',
  flushPath: 'fsync',
  scan: 'pread',
} as const

export type CallKind = keyof typeof SYSCALLS
export const CALL_KINDS = Object.keys(SYSCALLS) as CallKind[]

/** Gives the errno with which a call fails, if it shall. `nth` counts the calls of that kind from 1 on. */
export type Fault = (kind: CallKind, nth: number, path: string) => string | undefined

export class FailingMachine implements Machine {
  readonly clock = new TestClock()
  readonly entropy = seededEntropy(1)
  readonly openSegments: OpenSegments
  readonly files: Files
  readonly backend: Backend
  /** Calls so far. */
  readonly counts: Record<CallKind, number>
  /** `kind path` of each call that was made to fail. */
  readonly failed: string[] = []
  /** What a file's close threw when nobody waited for it. */
  readonly closeErrors: unknown[] = []
  fault: Fault = () => undefined
  readonly openCleanerThread = () => inlineCleaner(this)

  constructor() {
    this.counts = Object.fromEntries(CALL_KINDS.map((kind) => [kind, 0])) as Record<CallKind, number>
    this.openSegments = new OpenSegments(500)
    this.files = this.#failingFiles()
    this.backend = this.#failingBackend(swiftBackend())
  }

  /** The `nth` call of `kind` from now on fails (1: the next). */
  failNth(kind: CallKind, nth: number, errno = 'EIO'): void {
    const at = this.counts[kind] + nth
    this.fault = (called, count) => (called === kind && count === at ? errno : undefined)
  }

  /** Calls of `kind` whose path matches fail from now on. */
  failWhere(kind: CallKind, path: RegExp, errno = 'EIO'): void {
    this.fault = (called, _, calledPath) => (called === kind && path.test(calledPath) ? errno : undefined)
  }

  mend(): void {
    this.fault = () => undefined
  }

  #meet(kind: CallKind, path: string): void {
    const errno = this.fault(kind, ++this.counts[kind], path)
    if (errno === undefined) return
    this.failed.push(`${kind} ${path}`)
    throw ioError(SYSCALLS[kind], errno, path)
  }

  #failingFiles(): Files {
    const meet = async (kind: CallKind, path: string) => this.#meet(kind, path)
    return {
      list: (directory) => meet('list', directory).then(() => nodeFiles.list(directory)),
      look: nodeFiles.look,
      read: (path, maxBytes) => meet('read', path).then(() => nodeFiles.read(path, maxBytes)),
      write: (path, bytes) => meet('write', path).then(() => nodeFiles.write(path, bytes)),
      writeAt: (path, position, bytes) =>
        meet('write', path).then(() => nodeFiles.writeAt(path, position, bytes)),
      rename: (from, to) => meet('rename', from).then(() => nodeFiles.rename(from, to)),
      remove: (path) => meet('remove', path).then(() => nodeFiles.remove(path)),
      isLink: (path) => meet('isLink', path).then(() => nodeFiles.isLink(path)),
      exists: (path) => meet('exists', path).then(() => nodeFiles.exists(path)),
      makeDirectory: (path) => meet('makeDirectory', path).then(() => nodeFiles.makeDirectory(path)),
      removeDirectory: (path) => meet('removeDirectory', path).then(() => nodeFiles.removeDirectory(path)),
      copy: nodeFiles.copy,
      setModified: (path, ms) => meet('setModified', path).then(() => nodeFiles.setModified(path, ms)),
      freeBytes: nodeFiles.freeBytes,
    }
  }

  #failingBackend(real: Backend): Backend {
    const meet = (kind: CallKind, path: string) => this.#meet(kind, path)
    const failingIndex = (file: OffsetIndexFile | TimeIndexFile) => this.#failingIndex(file)
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' | 'time' }) {
      meet('openIndexFile', path)
      const file =
        options.kind === 'offset'
          ? real.openIndexFile(path, { ...options, kind: 'offset' })
          : real.openIndexFile(path, { ...options, kind: 'time' })
      failingIndex(file)
      return file
    }
    return {
      name: real.name,
      crc32c: real.crc32c,
      records: real.records,
      lockDirectory: (directory) => {
        meet('lockDirectory', directory)
        return real.lockDirectory(directory)
      },
      openLogFile: (path, options) => {
        meet('openLogFile', path)
        return this.#failingLog(real.openLogFile(path, options))
      },
      openIndexFile,
      openLane: () => this.#failingLane(real.openLane()),
    }
  }

  /** The file itself is changed: a backend may only take its own. */
  #failingLog(file: LogFile): LogFile {
    const [append, truncate, trim] = [file.append.bind(file), file.truncate.bind(file), file.trim.bind(file)]
    let isTrimming = false
    file.append = (...request) => {
      this.#meet('append', file.path)
      append(...request)
    }
    file.truncate = (sizeInBytes) => {
      // The portable backend trims by truncating.
      if (!isTrimming) this.#meet('truncateLog', file.path)
      truncate(sizeInBytes)
    }
    file.trim = () => {
      this.#meet('trim', file.path)
      isTrimming = true
      try {
        trim()
      } finally {
        isTrimming = false
      }
    }
    return file
  }

  #failingIndex(file: OffsetIndexFile | TimeIndexFile): void {
    const [resize, trim] = [file.resize.bind(file), file.trim.bind(file)]
    let isTrimming = false
    file.resize = (capacityBytes) => {
      if (!isTrimming) this.#meet('resizeIndex', file.path)
      resize(capacityBytes)
    }
    file.trim = () => {
      this.#meet('trim', file.path)
      isTrimming = true
      try {
        trim()
      } finally {
        isTrimming = false
      }
    }
  }

  #failingLane(lane: Lane): Lane {
    const meet = async (kind: CallKind, path: string) => this.#meet(kind, path)
    return {
      flush: (files) =>
        files.length === 0
          ? lane.flush(files)
          : meet('flush', files[0]?.path ?? '').then(() => lane.flush(files)),
      flushPath: (path) => meet('flushPath', path).then(() => lane.flushPath(path)),
      scan: (log, options) => meet('scan', log.path).then(() => lane.scan(log, options)),
      makeSpare: () => Promise.resolve(undefined),
      look: (...args) => lane.look(...args),
      slice: (...args) => lane.slice(...args),
      read: (...args) => lane.read(...args),
      close: () => lane.close(),
    }
  }
}
