/**
 * `plog lookup`: how an offset becomes a position in a file, step by step.
 */

import { basename } from 'node:path'
import type { Command } from 'commander'
import type { Located, ReadOnlyPartitionLog, SegmentSummary } from '../index.js'
import { parseInt64 } from './arguments.js'
import { type CommonFlags, type Context, defineCommand } from './context.js'
import { toJson } from './json.js'
import { withLog } from './targets.js'

export function lookupCommand(context: Context): Command {
  return defineCommand(
    'lookup',
    'show where an offset lies: what the index says, and the batch found from there',
  )
    .argument('<path>', 'directory of the log')
    .argument('<offset...>', 'offsets to look for', (text: string, before: bigint[] | undefined) => [
      ...(before ?? []),
      parseInt64(text),
    ])
    .action((path: string, offsets: bigint[], flags: CommonFlags) =>
      withLog(path, flags, (log) => lookup(context, log, offsets)),
    )
}

async function lookup(
  context: Context,
  log: ReadOnlyPartitionLog,
  offsets: readonly bigint[],
): Promise<void> {
  const { segments } = log
  let shownPath: string | undefined
  for (const offset of offsets) {
    const located = log.locate(offset)
    if (context.json) {
      await context.out.line(toJson(asJson(located)))
      continue
    }
    if (located.path !== shownPath) await context.out.line(headOf(located, segments))
    shownPath = located.path
    await context.out.line(describe(located))
  }
}

/** The two files that were searched. */
function headOf({ path }: Located, segments: readonly SegmentSummary[]): string {
  const log = basename(path)
  const index = log.replace(/\.log$/, '.index')
  const entries = segments.find(({ baseOffset }) => log.startsWith(baseOffset.toString().padStart(20, '0')))
  return `index file: ${index}, log file: ${log}\nindex entries: ${entries?.offsetIndexEntries ?? 0}`
}

function describe({ offset, indexEntry, batch }: Located): string {
  const found =
    batch === null
      ? 'no batch (the end of the log)'
      : `batch at position ${batch.position} (baseOffset ${batch.baseOffset}, size ${batch.sizeInBytes})`
  return `target ${offset} -> index says (offset ${indexEntry.offset}, position ${indexEntry.position}) -> ${found}`
}

function asJson({ offset, path, indexEntry, batch }: Located) {
  return { target: offset, file: basename(path), indexEntry, batch }
}
