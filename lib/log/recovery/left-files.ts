/**
 * Removes what a stop left half done, and finishes what it left ready: the
 * segments of an interrupted cleaning or splitting.
 */

import type { DirectoryEntry } from '../../backend/contract.js'
import { type NamedFile, planLeftFiles, planSwap, type SwapRange } from '../directory-plan.js'
import { NO_EPOCHS } from '../leader-epochs.js'
import { maxOffset } from '../log-state.js'
import type { RecoveryContext } from './recovery-context.js'
import { damagedSwap } from './refusal.js'

const SWAP = '.swap'

export interface FinishedFiles {
  /** Those of live segments, all in place. */
  readonly live: readonly NamedFile[]
  /** Deleted, still to be removed. */
  readonly deleted: readonly string[]
}

export async function finishLeftFiles(
  context: RecoveryContext,
  entries: readonly DirectoryEntry[],
): Promise<FinishedFiles> {
  const { changes } = context.input
  const left = planLeftFiles(entries)
  // Looked at before anything changes: where it is not whole, all stays as it is.
  const range = await swapRange(context, left.swaps)
  const plan = planSwap(left, range)
  const { deleted } = left
  await removeFiles(context, [...left.unfinished, ...plan.remove])
  if (plan.rename.length === 0) return { live: plan.live, deleted }
  // What is replaced must be gone for good before its successor has a name: it would come back beside it.
  await changes.flushDirectory()
  let last: bigint | undefined
  for (const { name, storedAs } of plan.rename) {
    // Each segment before the next, as in the swap itself.
    if (last !== undefined && last !== name.baseOffset) await changes.flushDirectory()
    last = name.baseOffset
    context.info(`Recovering file ${storedAs} by renaming from .swap files.`)
    await changes.rename(storedAs, withoutSwap(storedAs))
    if (name.kind === 'log') context.report.swappedIn.push(name.baseOffset)
  }
  await changes.flushDirectory()
  if (context.isDry) return { live: plan.live, deleted }
  return { live: plan.live.map((file) => ({ ...file, storedAs: withoutSwap(file.storedAs) })), deleted }
}

/** Removes them, and says so in the report. */
export async function removeFiles(context: RecoveryContext, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await context.input.changes.remove(names)
  context.report.removedFiles.push(...names.map((name) => context.path(name)))
}

/** What is put in place must be whole: what it replaces may be gone already. */
async function swapRange(
  context: RecoveryContext,
  swaps: readonly NamedFile[],
): Promise<SwapRange | undefined> {
  let range: SwapRange | undefined
  for (const { name, storedAs } of swaps) {
    if (name.kind !== 'log') continue
    const { baseOffset } = name
    const path = context.path(storedAs)
    context.info(
      `Found log file ${path} from interrupted swap operation, which is recoverable from .swap files by renaming.`,
    )
    const scan = await context.withLog({ baseOffset, storedAs }, (log) => context.scan(log, NO_EPOCHS))
    if (scan.stop !== 'end') throw damagedSwap(path, scan)
    range = {
      from: range === undefined || baseOffset < range.from ? baseOffset : range.from,
      to: maxOffset(range?.to ?? 0n, scan.nextOffset),
    }
  }
  return range
}

function withoutSwap(name: string): string {
  return name.endsWith(SWAP) ? name.slice(0, -SWAP.length) : name
}
