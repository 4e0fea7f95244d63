/**
 * Names the place that asks for a sync: the function in lib/ that wants it,
 * and what is synced. Two calls with one name are one site.
 */
import { basename } from 'node:path'

/** They carry a sync out for others. */
const CARRIERS =
  /\/lib\/(segment\/(segment|lazy-files|open-segments)|base\/gate|checkpoint\/atomic-file)\.[jt]s/

/** Asked for when it is needed: to write a stack down takes longer than all else about a step. */
export function syncSite(path: string, lastRenamed: string | undefined): () => string {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const place = new Error()
  Error.stackTraceLimit = limit
  let site: string | undefined
  return () => {
    site ??= siteOf(place.stack ?? '', path, lastRenamed)
    return site
  }
}

function siteOf(stack: string, path: string, lastRenamed: string | undefined): string {
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
