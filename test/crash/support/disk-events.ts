/**
 * What happened to a directory tree, step by step, as a disk sees it: entries
 * of directories, contents of files, and the syncs that make them last.
 *
 * Files and directories are numbers, as inodes are; 0 is the directory at the
 * root, which was there before and stays. A sync covers what happened before
 * it began, and counts when it has ended.
 */

export const ROOT = 0

export type DiskEvent =
  | {
      readonly kind: 'make'
      readonly parent: number
      readonly name: string
      readonly node: number
      readonly isDirectory: boolean
    }
  | { readonly kind: 'content'; readonly node: number; readonly bytes: Buffer }
  | {
      readonly kind: 'rename'
      readonly parent: number
      readonly from: string
      readonly to: string
      readonly node: number
    }
  | { readonly kind: 'unlink'; readonly parent: number; readonly name: string }
  | {
      readonly kind: 'sync-begin'
      readonly sync: number
      readonly nodes: readonly number[]
      readonly site: string
    }
  | { readonly kind: 'sync-end'; readonly sync: number; readonly site: string }

export function describeEvent(event: DiskEvent): string {
  switch (event.kind) {
    case 'make':
      return `make ${event.name}`
    case 'content':
      return `content of #${event.node}: ${event.bytes.length} bytes`
    case 'rename':
      return `rename ${event.from} to ${event.to}`
    case 'unlink':
      return `unlink ${event.name}`
    default:
      return `${event.kind} (${event.site})`
  }
}
