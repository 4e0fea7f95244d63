/**
 * What lies in a log directory beside its live logs: directories only, told
 * apart by their names and by whether they hold segments.
 */

import { join } from 'node:path'
import { nodeFiles } from '../../backend/files.js'
import { classify } from '../../manager/directory-listing.js'
import { hasSegments } from '../../manager/has-segments.js'
import { parseMarkedName } from '../../manager/partition-name.js'

export interface OtherDirectory {
  readonly name: string
  readonly kind: OtherKind
}

type OtherKind = 'deleted' | 'future' | 'stray' | 'empty' | 'foreign'

const TEXTS: Readonly<Record<OtherKind, string>> = {
  deleted: 'a deleted log; its files are still to be removed',
  future: 'a log on its way here from another log directory',
  stray: 'a log that a broker set aside because it was not its own',
  empty: 'the name of a log, but no segments',
  foreign: 'no log: not named topic-partition',
}

/** In words for the table. */
export function whatItIs(kind: OtherKind): string {
  return TEXTS[kind]
}

/** Sorted by name within each kind. */
export async function otherDirectories(path: string): Promise<OtherDirectory[]> {
  const { logs, deleted, setAside, foreign } = classify(await nodeFiles.list(path))
  const empty: OtherDirectory[] = []
  for (const name of logs)
    if (!(await hasSegments(nodeFiles, join(path, name)))) empty.push({ name, kind: 'empty' })
  return [
    ...empty,
    ...deleted.map((name) => ({ name, kind: 'deleted' as const })),
    ...setAside.map((name) => ({ name, kind: kindOf(name) })),
    ...foreign.map((name) => ({ name, kind: 'foreign' as const })),
  ]
}

function kindOf(name: string): OtherKind {
  const mark = parseMarkedName(name)
  return mark === 'future' || mark === 'stray' ? mark : 'foreign'
}
