/**
 * Names the place that asks for a sync: the function in lib/ that wants it,
 * and what is synced. Two calls with one name are one site.
 */
import { basename } from 'node:path'

/** They carry a sync out for others. */
const CARRIERS =
  /\/lib\/(segment\/(segment|lazy-files|open-segments)|base\/gate|checkpoint\/atomic-file)\.[jt]s/

export function syncSite(path: string, lastRenamed: string | undefined): string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const stack = new Error().stack ?? ''
  Error.stackTraceLimit = limit
  const frames = stack
    .split('\n')
    .filter((line) => line.includes('/lib/') && !line.includes('/node_modules/'))
  const asking = frames.find((line) => !CARRIERS.test(line)) ?? frames.at(-1) ?? ''
  return `${placeOf(asking)}: ${subjectOf(path, lastRenamed, frames)}`
}

function placeOf(frame: string): string {
  const match = /at (?:async )?(?:new )?(?:(\S+)(?: \[as \S+\])? \()?.*\/lib\/(.+?)\.[jt]s:/.exec(frame)
  const name = (match?.[1] ?? 'anonymous').replace(/^.*[.#]/, '')
  return `${match?.[2] ?? '?'} ${name}`
}

/** A checkpoint's own name, whichever directory or temporary file is synced for it; else the kind of thing. */
function subjectOf(path: string, lastRenamed: string | undefined, frames: readonly string[]): string {
  const name = basename(path)
  if (name.endsWith('.tmp')) return name
  const kind = /\.(log|index|timeindex|txnindex|snapshot)(\.\w+)?$/.exec(name)?.[1]
  if (kind !== undefined) return kind
  const isForFile = frames.some((line) => line.includes('writeAtomically'))
  return isForFile && lastRenamed !== undefined ? `directory of ${lastRenamed}` : 'directory'
}
