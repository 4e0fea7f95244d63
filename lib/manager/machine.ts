/**
 * What logs and managers reach of the machine. Tests put their own in its place.
 */

import type { Backend, Files } from '../backend/contract.js'
import { nodeFiles } from '../backend/files.js'
import { openFilesLimit } from '../backend/open-files-limit.js'
import { type Clock, systemClock } from '../base/clock.js'
import { type Entropy, systemEntropy } from '../base/entropy.js'
import type { CleanerThread } from '../cleaner/cleaner-thread.js'
import { OpenSegments, openSegmentsWithin } from '../segment/open-segments.js'

/** @internal */
export interface Machine {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  /** Default: the one that loads. */
  readonly backend?: Backend
  readonly openSegments?: OpenSegments
  /** Default: a thread of its own. */
  readonly openCleanerThread?: () => CleanerThread
}

export const MACHINE: Machine = { clock: systemClock, entropy: systemEntropy, files: nodeFiles }

/** One bound for all logs of the process. */
const openSegments = new OpenSegments(openSegmentsWithin(openFilesLimit()))

export function openSegmentsOf(machine: Machine): OpenSegments {
  return machine.openSegments ?? openSegments
}
