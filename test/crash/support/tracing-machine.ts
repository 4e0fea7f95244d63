/**
 * A machine that keeps a trace of what its calls do to a directory tree: after
 * each call of the backend or of `Files` the tree is looked at, and syncs are
 * written down with the place in the code that asked for them.
 *
 * Works alike over both backends, since it looks at what is there and not at
 * how it came. That a backend's `flush` and `flushPath` do sync what they say
 * is for `real-syncs.test.ts` to show; here they sync nothing. Calls of `Files`
 * run one after the other, so that each look finds the work of one call.
 */
import type {
  Backend,
  Files,
  Lane,
  LogFile,
  OffsetIndexFile,
  OpenIndexOptions,
  OpenMode,
  TimeIndexFile,
} from '../../../lib/backend/contract.js'
import { nodeFiles } from '../../../lib/backend/files.js'
import type { Machine } from '../../../lib/manager/machine.js'
import { OpenSegments } from '../../../lib/segment/open-segments.js'
import { inlineCleaner } from '../../support/inline-cleaner.js'
import { seededEntropy, TestClock } from '../../support/machine.js'
import { swiftBackend } from '../../support/swift-backend.js'
import type { DiskEvent } from './disk-events.js'
import { syncSite } from './sync-site.js'
import { TreeObserver } from './tree-observer.js'

/** Methods of `Files` that change nothing. */
const READING = new Set(['list', 'read', 'exists', 'freeBytes'])

/** An event with what a test knew at that moment. */
export interface Step<Known> {
  readonly event: DiskEvent
  readonly known: Known
}

export class TracingMachine<Known> implements Machine {
  readonly clock: TestClock
  readonly entropy = seededEntropy(1)
  readonly openSegments = new OpenSegments(500)
  readonly files: Files
  readonly backend: Backend
  readonly openCleanerThread = () => inlineCleaner(this)
  /** Where segments that a cleaning writes end at the latest. */
  maxSegmentBytes: number | undefined
  readonly steps: Step<Known>[] = []
  /** Stops before this step prove what other stories prove. */
  firstStop = 0
  readonly #observer: TreeObserver
  readonly #known: () => Known
  #turn: Promise<unknown> = Promise.resolve()
  #syncs = 0
  /** By directory: what was renamed in it last, which tells one sync of it from another. */
  readonly #lastRenamed = new Map<number, string>()

  /** `known` is asked with every event. The tree below `root` as it is now is taken as synced. */
  constructor(root: string, known: () => Known, nowMs?: number) {
    this.clock = new TestClock(nowMs)
    this.#observer = new TreeObserver(root)
    this.#known = known
    this.files = this.#tracedFiles()
    this.backend = this.#tracedBackend(swiftBackend())
    this.#synced()
  }

  /** From here on the story is about what no other tells. */
  beginsHere(): void {
    this.#look()
    this.firstStop = this.steps.length
  }

  /** The trace ends here: a last step that changes nothing, with what is known now. */
  ended(): readonly Step<Known>[] {
    this.#look()
    this.#note({ kind: 'sync-begin', sync: this.#syncs++, nodes: [], site: 'end' })
    return this.steps
  }

  #note(event: DiskEvent): void {
    this.steps.push({ event, known: this.#known() })
  }

  #look(paths?: readonly string[]): void {
    const events = paths === undefined ? this.#observer.look() : this.#observer.lookAt(paths)
    for (const event of events) {
      if (event.kind === 'rename') this.#lastRenamed.set(event.parent, event.to)
      this.#note(event)
    }
  }

  /** What lies there at the start, with one sync over all of it. */
  #synced(): void {
    this.#look()
    const nodes = new Set<number>([0])
    for (const { event } of this.steps) if (event.kind === 'make') nodes.add(event.node)
    this.#note({ kind: 'sync-begin', sync: this.#syncs, nodes: [...nodes], site: 'before' })
    this.#note({ kind: 'sync-end', sync: this.#syncs++, site: 'before' })
  }

  /** Whatever a method does is seen by the look that follows; those that only read need none. */
  #tracedFiles(): Files {
    return new Proxy(nodeFiles, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as unknown
        if (typeof method !== 'function') return method
        const work = (args: unknown[]) => async () => (await method.apply(target, args)) as unknown
        if (READING.has(String(name))) return (...args: unknown[]) => work(args)()
        return (...args: unknown[]) => this.#inTurn(work(args))
      },
    })
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const running = this.#turn.then(work).finally(() => this.#look())
    this.#turn = running.catch(() => undefined)
    return running
  }

  #tracedBackend(real: Backend): Backend {
    const machine = this
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' }): OffsetIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'time' }): TimeIndexFile
    function openIndexFile(path: string, options: OpenIndexOptions & { kind: 'offset' | 'time' }) {
      return options.kind === 'offset'
        ? machine.#tracedFile(options.mode, () => real.openIndexFile(path, { ...options, kind: 'offset' }))
        : machine.#tracedFile(options.mode, () => real.openIndexFile(path, { ...options, kind: 'time' }))
    }
    return {
      name: real.name,
      crc32c: real.crc32c,
      records: real.records,
      lockDirectory: real.lockDirectory,
      openLogFile: (path, options) => this.#tracedFile(options.mode, () => real.openLogFile(path, options)),
      openIndexFile,
      openLane: () => this.#tracedLane(real.openLane()),
    }
  }

  /** The file itself is changed: a backend may only take its own. An append writes to the indexes that it is given too. */
  #tracedFile<File extends LogFile | OffsetIndexFile | TimeIndexFile>(
    mode: OpenMode,
    open: () => File,
  ): File {
    const file = open()
    if (mode === 'create') this.#look()
    const methods = file as unknown as Record<string, (...args: unknown[]) => unknown>
    for (const name of ['append', 'truncate', 'trim', 'resize']) {
      const method = methods[name]
      if (method !== undefined)
        methods[name] = (...args) => this.#andLook(file, args, () => method.apply(file, args))
    }
    return file
  }

  #andLook<T>({ path }: { readonly path: string }, args: readonly unknown[], work: () => T): T {
    try {
      return work()
    } finally {
      const isFile = (arg: unknown): arg is { path: string } =>
        typeof arg === 'object' && arg !== null && 'path' in arg
      this.#look([path, ...args.filter(isFile).map((other) => other.path)])
    }
  }

  #tracedLane(lane: Lane): Lane {
    const { flush, flushPath } = lane
    lane.flush = (files) => {
      const syncs = files.map(({ path }) => this.#syncBegins(path))
      return this.#ended(syncs, flush.call(lane, files))
    }
    lane.flushPath = (path) => this.#ended([this.#syncBegins(path)], flushPath.call(lane, path))
    return lane
  }

  #syncBegins(path: string): Begun {
    const node = this.#observer.nodeAt(path)
    const site = syncSite(path, node === undefined ? undefined : this.#lastRenamed.get(node))
    const sync = this.#syncs++
    const nodes = node === undefined ? [] : [node]
    this.#note({
      kind: 'sync-begin',
      sync,
      nodes,
      get site() {
        return site()
      },
    })
    return { sync, site }
  }

  async #ended(syncs: readonly Begun[], work: Promise<void>): Promise<void> {
    await work
    for (const { sync, site } of syncs) {
      this.#note({
        kind: 'sync-end',
        sync,
        get site() {
          return site()
        },
      })
    }
  }
}

interface Begun {
  readonly sync: number
  readonly site: () => string
}
