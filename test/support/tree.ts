/** What a directory holds, as one value to compare. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Content of every file below `directory` as hex, by relative path; `leaveOut` says which do not count. */
export function treeOf(
  directory: string,
  leaveOut: (path: string) => boolean = () => false,
): Record<string, string> {
  const files: Record<string, string> = {}
  const walk = (below: string) => {
    for (const entry of readdirSync(join(directory, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (!leaveOut(path)) files[path] = readFileSync(join(directory, path)).toString('hex')
    }
  }
  walk('')
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)))
}
