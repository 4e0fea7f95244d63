/**
 * What readers of a log that is only read ask of whoever watches its files,
 * which another process may be writing.
 */

import type { Segment } from '../../segment/segment.js'

export interface Beside {
  /** What the files show by then is in the log's state on return. A roll or swap of the writer's is waited out for a while. */
  settle(): Promise<void>
  /** For who waits at the log's end: looks after `delayMs`, or when the log changes. A swap that nobody ends is waited for. */
  lookAfter(delayMs: number, signal: AbortSignal | undefined): Promise<void>
  /**
   * Whether bytes just read from `segment` are those of the state: its files
   * were open before (`openings`), or another look shows them to be the same.
   * On false the state has moved on.
   */
  confirms(segment: Segment, openings: number): Promise<boolean>
}
