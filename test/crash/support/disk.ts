/**
 * A disk that forgets what was not synced: the events of a trace go in, and it
 * knows at each moment what is on the disk for certain and what may be.
 *
 * Of a file, each sector and the length may be as at the last sync or as after
 * any write since. Of a directory, each change of an entry since its last sync
 * may be there or not; a rename is one change. A new file's name is safe only
 * when its directory was synced: a sync of the file does nothing for it.
 */
import { type DiskEvent, ROOT } from './disk-events.js'

export interface EntryChange {
  readonly remove?: string
  readonly set?: { readonly name: string; readonly node: number }
}

export interface DirectoryOnDisk {
  readonly synced: Map<string, number>
  /** Not synced yet, in order. */
  readonly pending: EntryChange[]
}

export interface FileOnDisk {
  /** The first is synced, the others are what writes made of it since. */
  readonly versions: Buffer[]
}

const EMPTY = Buffer.alloc(0)

export class Disk {
  readonly directories = new Map<number, DirectoryOnDisk>([[ROOT, { synced: new Map(), pending: [] }]])
  readonly files = new Map<number, FileOnDisk>()
  /** By sync: how much of what is pending it covers, by node. What was covered by another meanwhile counts down. */
  readonly #syncs = new Map<number, Map<number, number>>()

  /** Syncs at a `left out` site do nothing. */
  apply(event: DiskEvent, isLeftOut?: (site: string) => boolean): void {
    switch (event.kind) {
      case 'make':
        if (event.isDirectory) this.directories.set(event.node, { synced: new Map(), pending: [] })
        else this.files.set(event.node, { versions: [EMPTY] })
        this.#change(event.parent, { set: event })
        break
      case 'rename':
        this.#change(event.parent, { remove: event.from, set: { name: event.to, node: event.node } })
        break
      case 'unlink':
        this.#change(event.parent, { remove: event.name })
        break
      case 'content':
        this.files.get(event.node)?.versions.push(event.bytes)
        break
      case 'sync-begin':
        if (isLeftOut?.(event.site) !== true) this.#begin(event.sync, event.nodes)
        break
      case 'sync-end':
        this.#end(event.sync)
        break
    }
  }

  /** How much of each file and directory may still get lost. */
  unsynced(): string {
    const nodes = [...this.directories.keys(), ...this.files.keys()]
    return nodes.map((node) => this.#pendingOf(node)).join(' ')
  }

  #change(parent: number, { remove, set }: EntryChange): void {
    const change = {
      ...(remove === undefined ? {} : { remove }),
      ...(set === undefined ? {} : { set: { name: set.name, node: set.node } }),
    }
    this.directories.get(parent)?.pending.push(change)
  }

  #begin(sync: number, nodes: readonly number[]): void {
    this.#syncs.set(sync, new Map(nodes.map((node) => [node, this.#pendingOf(node)])))
  }

  #pendingOf(node: number): number {
    return this.directories.get(node)?.pending.length ?? (this.files.get(node)?.versions.length ?? 1) - 1
  }

  #end(sync: number): void {
    for (const [node, count] of this.#syncs.get(sync) ?? []) {
      this.files.get(node)?.versions.splice(0, count)
      const directory = this.directories.get(node)
      for (const change of directory?.pending.splice(0, count) ?? [])
        applyChange(directory?.synced as Map<string, number>, change)
      for (const [other, covered] of this.#syncs) {
        if (other !== sync && covered.has(node))
          covered.set(node, Math.max(0, (covered.get(node) as number) - count))
      }
    }
    this.#syncs.delete(sync)
  }
}

export function applyChange(entries: Map<string, number>, { remove, set }: EntryChange): void {
  if (remove !== undefined) entries.delete(remove)
  if (set !== undefined) entries.set(set.name, set.node)
}
