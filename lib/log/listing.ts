/**
 * What lies in a log's directory. Lengths and times are asked for on a lane,
 * all at once: a log can have ten thousand segments.
 */

import type { DirectoryEntry, Files, Lane } from '../backend/contract.js'

interface Lister {
  readonly files: Pick<Files, 'list'>
  readonly readLane: Pick<Lane, 'look'>
  readonly directory: string
}

/** Entries of the log's directory, those for whose name `measured` is true with length and time. As `Files.list`. */
export async function listMeasured(
  { files, readLane, directory }: Lister,
  measured: (name: string) => boolean,
): Promise<DirectoryEntry[]> {
  const entries = await files.list(directory, () => false)
  // Links were followed, and are measured already.
  const asked = ({ name, isDirectory, identity }: DirectoryEntry) =>
    !isDirectory && identity === 0 && measured(name)
  const names = entries.filter(asked).map(({ name }) => name)
  if (names.length === 0) return entries
  const looks = await readLane.look(directory, names)
  let next = 0
  return entries.flatMap((entry) => {
    if (!asked(entry)) return [entry]
    const look = looks[next++]
    // Gone since the directory was read.
    return look === undefined ? [] : [{ ...entry, ...look }]
  })
}
