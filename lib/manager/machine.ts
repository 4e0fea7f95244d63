/**
 * What logs and managers reach of the machine. Tests put their own in its place.
 */

import type { Backend, Files } from '../backend/contract.js'
import { nodeFiles } from '../backend/files.js'
import { type Clock, systemClock } from '../base/clock.js'
import { type Entropy, systemEntropy } from '../base/entropy.js'
import { DEFAULT_OPEN_SEGMENTS, OpenSegments } from '../segment/open-segments.js'

/** @internal */
export interface Machine {
  readonly clock: Clock
  readonly entropy: Entropy
  readonly files: Files
  /** Default: the one that loads. */
  readonly backend?: Backend
  readonly openSegments?: OpenSegments
}

export const MACHINE: Machine = { clock: systemClock, entropy: systemEntropy, files: nodeFiles }

/** One bound for all logs of the process. */
const openSegments = new OpenSegments(DEFAULT_OPEN_SEGMENTS)

export function openSegmentsOf(machine: Machine): OpenSegments {
  return machine.openSegments ?? openSegments
}
