/** Options of `PartitionLog.clean`. */

import { checkKnown, knownKeys } from '../../base/options.js'
import type { CleanProgressListener } from '../log-host.js'

export interface CleanOptions {
  readonly onProgress?: CleanProgressListener
}

const KNOWN = knownKeys<CleanOptions>({ onProgress: true })

/** What `options` asks for; unknown ones are refused. */
export function progressListener(options: CleanOptions): CleanProgressListener | undefined {
  checkKnown(options, KNOWN)
  return options.onProgress
}
