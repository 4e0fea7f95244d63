/**
 * A machine that writes down what reaches the disk and in which order. All of
 * it still happens; a test can hold one event, or make it fail.
 *
 * Lane work is written down when it is done, everything else when it begins:
 * what stands behind a flush in the list cannot have begun before it ended.
 * Names are those of files without their directories, segments by their plain
 * number; the log directory is `above`.
 */
import { basename } from 'node:path'
import type {
  Backend,
  Files,
  Lane,
  LogFile,
  OffsetIndexFile,
  OpenIndexOptions,
  OpenMode,
  TimeIndexFile,
} from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { type Clock, systemClock } from '../../lib/base/clock.js'
import { systemEntropy } from '../../lib/base/entropy.js'
import { ioError } from '../../lib/errors.js'
import type { Machine } from '../../lib/manager/machine.js'
import type { OpenSegments } from '../../lib/segment/open-segments.js'
import { backendUnderTest } from './backend.js'
import { inlineCleaner } from './inline-cleaner.js'

/** An event that waits until the test lets it go on; lane work behind it waits too. */
export interface Hold {
  /** Resolves when the event has come; with lane work it is done by then, and not yet told. */
  readonly reached: Promise<void>
  release(): void
}

interface Rule {
  readonly event: RegExp
  readonly meet: () => Promise<void> | undefined
  readonly errno?: string
}

export class RecordingMachine implements Machine {
  readonly clock: Clock
  readonly entropy = systemEntropy
  readonly files: Files
  readonly backend: Backend
  readonly openSegments?: OpenSegments
  readonly openCleanerThread = () => inlineCleaner(this)
  readonly #above: string
  #events: string[] = []
  #opened: string[] = []
  #rules: Rule[] = []
  #errnoOf: (event: string) => string | undefined = () => undefined

  constructor(
    above: string,
    options: { clock?: Clock; openSegments?: OpenSegments; backend?: Backend } = {},
  ) {
    this.#above = above
    this.clock = options.clock ?? systemClock
    if (options.openSegments !== undefined) this.openSegments = options.openSegments
    this.files = this.#recordedFiles()
    this.backend = this.#recordedBackend(options.backend ?? backendUnderTest())
  }

  /** The events since the last call. */
  taken(): string[] {
    return this.#events.splice(0)
  }

  /** Files of segments that were opened, and not made, since the last call. */
  opened(): string[] {
    return this.#opened.splice(0)
  }

  /** Holds the next event that matches; also `read NAME` and `lane-read NAME`, which are not written down. */
  hold(event: RegExp): Hold {
    let release = () => {}
    let reach = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const reached = new Promise<void>((resolve) => {
      reach = resolve
    })
    const meet = () => {
      reach()
      return released
    }
    this.#rules.push({ event, meet })
    return { reached, release }
  }

  /**
   * The next event that matches fails with `errno` and does not happen; also
   * `open NAME`, `close NAME` and, of an index, `resize NAME` and `trim NAME`,
   * which are not written down. A file whose close fails is closed all the same.
   */
  fail(event: RegExp, errno: string): void {
    this.#rules.push({ event, errno, meet: () => undefined })
  }

  /** From now on each event fails with the errno that `errnoOf` gives for it, if any. */
  failWhere(errnoOf: (event: string) => string | undefined): void {
    this.#errnoOf = errnoOf
  }

  /** `path` as events name it. */
  name(path: string): string {
    if (path === this.#above) return 'above'
    return basename(path).replace(/^\d{20}/, (digits) => String(BigInt(digits)))
  }

  #rule(event: string): Rule | undefined {
    const errno = this.#errnoOf(event)
    if (errno !== undefined) return { event: /^/, errno, meet: () => undefined }
    const rule = this.#rules.find((candidate) => candidate.event.test(event))
    this.#rules = this.#rules.filter((other) => other !== rule)
    return rule
  }

  /** For what happens within the turn. */
  #note(event: string, path: string): void {
    this.#meet(event, path)
    this.#events.push(event)
  }

  /** The same, for what is not written down. */
  #meet(event: string, path: string, syscall = 'write'): void {
    const rule = this.#rule(event)
    if (rule?.errno !== undefined) throw ioError(syscall, rule.errno, path)
  }

  async #noteHeld(event: string, path: string, isChange: boolean): Promise<void> {
    const rule = this.#rule(event)
    if (rule?.errno !== undefined) throw ioError('write', rule.errno, path)
    if (isChange) this.#events.push(event)
    await rule?.meet()
  }

  #recordedFiles(): Files {
    const note = (verb: string, path: string, isChange = true) =>
      this.#noteHeld(`${verb} ${this.name(path)}`, path, isChange)
    return {
      ...nodeFiles,
      read: async (path, maxBytes) => {
        await note('read', path, false)
        return nodeFiles.read(path, maxBytes)
      },
      write: async (path, bytes) => {
        await note('write', path)
        await nodeFiles.write(path, bytes)
      },
      writeAt: async (path, position, bytes) => {
        await note('write', path)
        await nodeFiles.writeAt(path, position, bytes)
      },
      rename: async (from, to) => {
        await note('rename', from)
        await nodeFiles.rename(from, to)
      },
      remove: async (path) => {
        await note('remove', path)
        await nodeFiles.remove(path)
      },
      makeDirectory: async (path) => {
        await note('makeDirectory', path)
        return nodeFiles.makeDirectory(path)
      },
    }
  }

  #recordedBackend(real: Backend): Backend {
    const noteOpen = (path: string, mode: OpenMode) => {
      const name = this.name(path)
      if (mode === 'create') return this.#note(`create ${name}`, path)
      this.#meet(`open ${name}`, path, 'open')
      this.#opened.push(name)
    }
    const recorded = <Index extends OffsetIndexFile | TimeIndexFile>(index: Index) =>
      this.#recordedIndex(index)
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' | 'time' }) {
      noteOpen(path, options.mode)
      return options.kind === 'offset'
        ? recorded(real.openIndexFile(path, { ...options, kind: 'offset' }))
        : recorded(real.openIndexFile(path, { ...options, kind: 'time' }))
    }
    return {
      name: real.name,
      crc32c: (...args) => real.crc32c(...args),
      records: real.records,
      lockDirectory: (directory) => real.lockDirectory(directory),
      openLogFile: (path, options) => {
        noteOpen(path, options.mode)
        return this.#recordedLog(real.openLogFile(path, options))
      },
      openIndexFile,
      openLane: () => this.#recordedLane(real.openLane()),
    }
  }

  /** The file itself is changed: a backend may only take its own. */
  #recordedLog(file: LogFile): LogFile {
    const { path } = file
    const [append, truncate, trim] = [file.append.bind(file), file.truncate.bind(file), file.trim.bind(file)]
    file.append = (request, offsetIndex, timeIndex) => {
      const paths = [
        path,
        ...(request.offsetEntries === undefined ? [] : [offsetIndex.path]),
        ...(request.timeEntries === undefined ? [] : [timeIndex.path]),
      ]
      this.#note(this.#list('append', paths), path)
      append(request, offsetIndex, timeIndex)
    }
    file.truncate = (sizeInBytes) => {
      this.#note(`truncate ${this.name(path)}`, path)
      truncate(sizeInBytes)
    }
    // The portable backend trims by truncating.
    file.trim = () => {
      this.#note(`trim ${this.name(path)}`, path)
      file.truncate = truncate
      trim()
      file.truncate = recordedTruncate
    }
    const recordedTruncate = file.truncate
    return this.#recordedClose(file)
  }

  #recordedIndex<Index extends OffsetIndexFile | TimeIndexFile>(file: Index): Index {
    const { path } = file
    const [resize, trim] = [file.resize.bind(file), file.trim.bind(file)]
    file.resize = (capacityBytes) => {
      this.#meet(`resize ${this.name(path)}`, path)
      resize(capacityBytes)
    }
    file.trim = () => {
      this.#meet(`trim ${this.name(path)}`, path)
      trim()
    }
    return this.#recordedClose(file)
  }

  #recordedClose<File extends { readonly path: string; close(): Promise<void> }>(file: File): File {
    const close = file.close.bind(file)
    file.close = async () => {
      await close()
      this.#meet(`close ${this.name(file.path)}`, file.path)
    }
    return file
  }

  #list(verb: string, paths: readonly string[]): string {
    return [verb, ...paths.map((path) => this.name(path))].join(' ')
  }

  #recordedLane(lane: Lane): Lane {
    let last: Promise<unknown> = Promise.resolve()
    const inOrder = <T>(
      event: string,
      path: string,
      isChange: boolean,
      run: () => Promise<T>,
    ): Promise<T> => {
      const rule = this.#rule(event)
      const { errno } = rule ?? {}
      const work = errno === undefined ? run() : Promise.reject<T>(ioError('fdatasync', errno, path))
      const held = work.then(() => rule?.meet())
      held.catch(() => undefined) // told below, in order
      const before = last
      const told = (async () => {
        await before
        await held
        if (isChange) this.#events.push(event)
        return work
      })()
      last = told.catch(() => undefined)
      return told
    }
    const { flush, flushPath, slice, read, scan } = lane
    lane.flush = (files) => {
      const paths = files.map(({ path }) => path)
      const run = () => flush.call(lane, files)
      return inOrder(this.#list('flush', paths), paths[0] ?? '', files.length > 0, run)
    }
    lane.flushPath = (path) =>
      inOrder(`flushPath ${this.name(path)}`, path, true, () => flushPath.call(lane, path))
    const reading = <T>(log: LogFile, run: () => Promise<T>) =>
      inOrder(`lane-read ${this.name(log.path)}`, log.path, false, run)
    lane.slice = (log, index, target, bounds) =>
      reading(log, () => slice.call(lane, log, index, target, bounds))
    lane.read = (log, position, length) => reading(log, () => read.call(lane, log, position, length))
    lane.scan = (log, options) => reading(log, () => scan.call(lane, log, options))
    return lane
  }
}
