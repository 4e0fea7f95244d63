/** The files under test/golden that the tools are for. */
import { readdirSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

export const golden = resolve(import.meta.dirname, '../../../golden')

/** Paths from the golden folder on; what was only expected of them left out. */
export const goldenFiles: readonly string[] = readdirSync(golden, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(golden, join(entry.parentPath, entry.name)))
  .filter((path) => !/^(?:expected|dump)\//.test(path))
  .sort()

/** Files of a kind that are small enough to be dumped many times. */
export function smallFiles(kind: string): string[] {
  return goldenFiles
    .filter((path) => path.endsWith(`.${kind}`))
    .map((path) => join(golden, path))
    .filter((path) => statSync(path).size < 20_000)
}
