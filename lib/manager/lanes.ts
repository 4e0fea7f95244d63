/**
 * The threads of a log directory: one for fsync, one for cold reads and scans.
 */

import type { Backend, Lane } from '../backend/contract.js'

export interface Lanes {
  readonly flushLane: Lane
  readonly readLane: Lane
}

export function openLanes(backend: Backend): Lanes {
  return { flushLane: backend.openLane(), readLane: backend.openLane() }
}

export async function closeLanes({ flushLane, readLane }: Lanes): Promise<void> {
  await Promise.all([flushLane.close(), readLane.close()])
}
