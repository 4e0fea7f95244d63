/**
 * Finds out what a call has done to a directory tree, by reading the tree
 * before and after: nothing is taken from what the call says of itself, so a
 * trace is the same work for either backend, and misses no change.
 *
 * Between two looks the order of changes is: entries, then contents. A test
 * looks after every call, and no call syncs in between.
 */
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { isErrno } from '../../../lib/backend/node-error.js'
import { type DiskEvent, ROOT } from './disk-events.js'

/** Marks of the lock; they mean nothing once the process is gone. */
const LOCK_FILES = /^\.lock(\.pid.*)?$/

/** Times of files are those of the kernel's last tick: one that is older has not been written to since it was read. */
const TICK_MS = 20n

interface SeenFile {
  readonly bytes: Buffer
  readonly size: bigint
  readonly mtimeNs: bigint
  readonly readMs: bigint
}

type Node = { readonly entries: Map<string, number> } | SeenFile

export class TreeObserver {
  readonly root: string
  #nodes = new Map<number, Node>([[ROOT, { entries: new Map() }]])
  #numbers = new Map<bigint, number>()
  #next = ROOT + 1

  constructor(root: string) {
    this.root = root
  }

  /** What has changed since the last call. */
  look(): DiskEvent[] {
    const seen = new Map<number, Node>()
    const numbers = new Map<bigint, number>()
    this.#read(this.root, ROOT, seen, numbers)
    const events = [...this.#vanished(seen), ...this.#entries(seen), ...this.#contents(seen)]
    this.#nodes = seen
    this.#numbers = numbers
    return events
  }

  /** What has changed in these files, which are still where they were. */
  lookAt(paths: readonly string[]): DiskEvent[] {
    return paths.flatMap((path): DiskEvent[] => {
      const node = this.nodeAt(path)
      const before = node === undefined ? undefined : this.#nodes.get(node)
      if (node === undefined || before === undefined || !('bytes' in before)) return this.look()
      const bytes = readFileSync(path)
      if (bytes.equals(before.bytes)) return []
      // Read anew by the next look, whatever its time says.
      this.#nodes.set(node, { bytes, size: BigInt(bytes.length), mtimeNs: 0n, readMs: 0n })
      return [{ kind: 'content', node, bytes }]
    })
  }

  /** The number of the file or directory at `path`, as last seen. */
  nodeAt(path: string): number | undefined {
    let node: number | undefined = ROOT
    for (const name of relative(this.root, path)
      .split(sep)
      .filter((part) => part !== '')) {
      const found: Node | undefined = this.#nodes.get(node)
      node = found !== undefined && 'entries' in found ? found.entries.get(name) : undefined
      if (node === undefined) return undefined
    }
    return node
  }

  #read(path: string, node: number, seen: Map<number, Node>, numbers: Map<bigint, number>): void {
    const entries = new Map<string, number>()
    seen.set(node, { entries })
    for (const name of readdirSync(path).sort()) {
      if (LOCK_FILES.test(name)) continue
      const child = join(path, name)
      try {
        const stats = lstatSync(child, { bigint: true })
        const number = this.#numbers.get(stats.ino) ?? numbers.get(stats.ino) ?? this.#next++
        numbers.set(stats.ino, number)
        if (stats.isDirectory()) this.#read(child, number, seen, numbers)
        else seen.set(number, this.#fileAt(child, number, stats))
        entries.set(name, number)
      } catch (error) {
        // Gone since the directory was read: a removal on another thread.
        if (!isErrno(error, 'ENOENT')) throw error
      }
    }
  }

  #fileAt(path: string, number: number, { size, mtimeNs }: { size: bigint; mtimeNs: bigint }): SeenFile {
    const before = this.#nodes.get(number)
    if (before !== undefined && 'bytes' in before && before.size === size && before.mtimeNs === mtimeNs) {
      if (before.mtimeNs / 1_000_000n + TICK_MS < before.readMs) return before
    }
    const readMs = BigInt(Date.now())
    return { bytes: readFileSync(path), size, mtimeNs, readMs }
  }

  /** Entries of directories that are no more, before their own. */
  *#vanished(seen: ReadonlyMap<number, Node>): Generator<DiskEvent> {
    for (const [parent, node] of [...this.#nodes].reverse()) {
      if (seen.has(parent) || !('entries' in node)) continue
      for (const name of node.entries.keys()) yield { kind: 'unlink', parent, name }
    }
  }

  *#entries(seen: ReadonlyMap<number, Node>): Generator<DiskEvent> {
    for (const [parent, node] of seen) {
      if (!('entries' in node)) continue
      const before = this.#nodes.get(parent)
      const old = before !== undefined && 'entries' in before ? before.entries : new Map<string, number>()
      const gone = new Map([...old].filter(([name, number]) => node.entries.get(name) !== number))
      for (const [to, number] of node.entries) {
        if (old.get(to) === number) continue
        const from = [...gone].find(([, other]) => other === number)?.[0]
        const made = seen.get(number) as Node
        if (from === undefined)
          yield { kind: 'make', parent, name: to, node: number, isDirectory: 'entries' in made }
        else yield { kind: 'rename', parent, from, to, node: number }
        if (from !== undefined) gone.delete(from)
        gone.delete(to)
      }
      for (const name of gone.keys()) yield { kind: 'unlink', parent, name }
    }
  }

  *#contents(seen: ReadonlyMap<number, Node>): Generator<DiskEvent> {
    for (const [number, node] of seen) {
      if (!('bytes' in node)) continue
      const before = this.#nodes.get(number)
      const old = before !== undefined && 'bytes' in before ? before.bytes : Buffer.alloc(0)
      if (old !== node.bytes && !old.equals(node.bytes))
        yield { kind: 'content', node: number, bytes: node.bytes }
    }
  }
}
