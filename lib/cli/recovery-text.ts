/**
 * What a recovery did, or would do, as lines for a person.
 */

import type { RecoveryReport } from '../index.js'

/** `would`: nothing of it was done. */
export function* recoveryLines(
  name: string,
  report: RecoveryReport | null,
  would: boolean,
): Generator<string> {
  if (report === null) {
    yield `${name}: nothing to recover`
    return
  }
  const { segmentsScanned, bytesScanned, ms, logStartOffset, logEndOffset, recoveryPoint } = report
  const from = report.wasClean ? '' : `, from the recovery point ${recoveryPoint ?? 'unknown'} on`
  yield `${name}: ${would ? 'would scan' : 'scanned'} ${count(segmentsScanned, 'segment')} of ${bytesScanned} bytes${from} (${ms} ms)`
  for (const { baseOffset, cause } of report.scanned)
    if (cause !== 'unflushed')
      yield `  ${would ? 'would make' : 'made'} the indexes of segment ${baseOffset} anew: ${cause}`
  for (const baseOffset of report.swappedIn)
    yield `  ${would ? 'would put' : 'put'} segment ${baseOffset} of an interrupted cleaning in place`
  for (const { baseOffset, into } of report.splits)
    yield `  ${would ? 'would split' : 'split'} segment ${baseOffset}${into.length > 0 ? ` into ${into.join(', ')}` : ''}`
  for (const { path, position, removedBytes, offset, found, because } of report.cuts)
    yield `  ${would ? 'would cut' : 'cut'} ${path} at position ${position} (${found}): ${removedBytes} bytes, the log ends at offset ${offset}; ${because}`
  for (const { path, sizeInBytes, because } of report.removedSegments)
    yield `  ${would ? 'would remove' : 'removed'} ${path} (${sizeInBytes} bytes): ${because}`
  for (const path of report.removedFiles) yield `  ${would ? 'would remove' : 'removed'} ${path}`
  for (const path of report.quarantined) yield `  kept a copy as ${path}`
  if (report.missingOffsets > 0n)
    yield `  ${report.missingOffsets} offsets below the recovery point are not in the files`
  if (!would) yield `  offsets ${logStartOffset} to ${logEndOffset}`
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
