/** What `plog clean` says of a log, in words. */

import type { CleaningExplanation, CleaningReport } from '../../index.js'
import { limitText } from '../explain/cleaning-text.js'

export function cleanedText(log: string, report: CleaningReport): string {
  const { firstDirtyOffset, endOffset, recordsRead, recordsWritten, bytesRead, bytesWritten } = report
  const { segmentsRead, segmentsWritten, keys } = report
  const full = endOffset > firstDirtyOffset ? '' : ' (the map of keys was full at once)'
  return [
    `${log}: cleaned offsets ${firstDirtyOffset} to ${endOffset}, ${keys} ${keys === 1 ? 'key' : 'keys'}${full}`,
    `  kept ${recordsWritten} of ${recordsRead} records, ${bytesWritten} of ${bytesRead} bytes; ${segmentsRead} ${segmentsRead === 1 ? 'segment' : 'segments'} became ${segmentsWritten}`,
  ].join('\n')
}

export function notCleanedText(log: string, cleaning: CleaningExplanation): string {
  switch (cleaning.kind) {
    case 'off':
      return `${log}: nothing to clean, cleanup.policy has no compact`
    case 'not known':
      return `${log}: not cleaned, its settings are not known (--config cleanup.policy=compact gives them)`
    case 'compacts': {
      const [limit] = cleaning.limits
      if (cleaning.dirtyBytes === 0) return `${log}: nothing to clean, all of it is clean`
      const why = limit === undefined ? 'nothing' : limitText(limit)
      return `${log}: nothing can be cleaned; the dirty section, ${cleaning.dirtyBytes} bytes from offset ${cleaning.firstDirtyOffset} on, is held back by ${why}`
    }
  }
}
