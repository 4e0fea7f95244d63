/**
 * Crash images: what a directory tree may look like after the power has failed,
 * as far as a `Disk` leaves it open. A variant decides what of the open is kept.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyChange, type Disk, type EntryChange } from './disk.js'
import { ROOT } from './disk-events.js'

const SECTOR_BYTES = 512

/** What becomes of changes that were not synced. */
export interface Variant {
  readonly name: string
  keepsChange(change: EntryChange): boolean
  /** Which of `count` versions a sector, or the length, is taken from. */
  version(count: number): number
  /** Sectors and length each for themselves, or one version for the file. */
  readonly bySector: boolean
}

export const KEPT_OR_LOST: readonly Variant[] = [
  { name: 'all lost', keepsChange: () => false, version: () => 0, bySector: false },
  { name: 'all kept', keepsChange: () => true, version: (count) => count - 1, bySector: false },
  { name: 'entries lost', keepsChange: () => false, version: (count) => count - 1, bySector: false },
  { name: 'contents lost', keepsChange: () => true, version: () => 0, bySector: false },
  // Of what was made and renamed, one or the other.
  {
    name: 'new names lost',
    keepsChange: ({ remove }) => remove !== undefined,
    version: (count) => count - 1,
    bySector: false,
  },
  {
    name: 'new names kept',
    keepsChange: ({ remove }) => remove === undefined,
    version: (count) => count - 1,
    bySector: false,
  },
]

/** `random` gives numbers from 0 up to 1. */
export function randomVariant(name: string, random: () => number): Variant {
  return {
    name,
    keepsChange: () => random() < 0.5,
    version: (count) => Math.floor(random() * count),
    bySector: random() < 0.75,
  }
}

/** Bytes of every file by its path, null for a directory; in order. */
export type Image = ReadonlyMap<string, Buffer | null>

export function imageOf(disk: Disk, variant: Variant): Image {
  const image = new Map<string, Buffer | null>()
  const add = (node: number, path: string) => {
    const directory = disk.directories.get(node)
    if (directory === undefined) {
      image.set(path, contentOf(disk.files.get(node)?.versions ?? [], variant))
      return
    }
    if (node !== ROOT) image.set(path, null)
    const entries = entriesOf(directory, variant)
    for (const [name, child] of [...entries].sort()) add(child, path === '' ? name : `${path}/${name}`)
  }
  add(ROOT, '')
  return image
}

function entriesOf(
  {
    synced,
    pending,
  }: { readonly synced: ReadonlyMap<string, number>; readonly pending: readonly EntryChange[] },
  variant: Variant,
): Map<string, number> {
  const entries = new Map(synced)
  for (const change of pending) if (variant.keepsChange(change)) applyChange(entries, change)
  return entries
}

function contentOf(versions: readonly Buffer[], variant: Variant): Buffer {
  const pick = () => versions[variant.version(versions.length)] as Buffer
  if (versions.length === 1 || !variant.bySector) return pick()
  const bytes = Buffer.alloc(pick().length)
  for (let at = 0; at < bytes.length; at += SECTOR_BYTES)
    bytes.set(pick().subarray(at, Math.min(at + SECTOR_BYTES, bytes.length)), at)
  return bytes
}

/** Writes `image` into `directory`, which is empty. */
export function lay(image: Image, directory: string): void {
  for (const [path, bytes] of image) {
    if (bytes === null) mkdirSync(join(directory, path))
    else writeFileSync(join(directory, path), bytes)
  }
}

export function hashOf(image: Image): string {
  const hash = createHash('sha1')
  for (const [path, bytes] of image) hash.update(`${path}\0${bytes?.length ?? -1}\0`).update(bytes ?? '')
  return hash.digest('hex')
}
