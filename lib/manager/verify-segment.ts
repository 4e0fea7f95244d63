/**
 * Every check of one segment: each batch with its checksum and offsets, each
 * entry of its indexes against the batches. Changes nothing.
 */

import { join } from 'node:path'
import type { BatchColumns, OffsetIndexFile, TimeIndexFile } from '../backend/contract.js'
import { MAX_CHECKPOINT_BYTES } from '../checkpoint/atomic-file.js'
import { CorruptionError } from '../errors.js'
import type { StoredSegment } from '../log/directory-plan.js'
import { NO_EPOCHS } from '../log/leader-epochs.js'
import { type SegmentScan, scanSegment } from '../log/recovery/scan-segment.js'
import { checkOffsetIndex, checkTimeIndex } from '../segment/index-sanity.js'
import { dropEntriesBehind, dropZeroTail } from '../segment/index-tail.js'
import { fileName } from '../segment/names.js'
import { parseTransactionIndex } from '../segment/transaction-index.js'
import type { LogLook } from './look-at-log.js'

export interface Finding {
  readonly kind: 'batch' | 'torn-tail' | 'index' | 'checkpoint' | 'snapshot' | 'settings' | 'compression'
  readonly path: string
  readonly position: number | null
  readonly message: string
}

export interface VerifiedSegment {
  readonly baseOffset: bigint
  readonly sizeInBytes: number
  readonly validBytes: number
  readonly nextOffset: bigint
  readonly batches: number
  readonly records: bigint
  readonly findings: readonly Finding[]
}

export async function verifySegment(look: LogLook, segment: StoredSegment): Promise<VerifiedSegment> {
  const { env, config, lane } = look
  const { baseOffset, storedAs } = segment
  const path = join(env.directory, storedAs)
  const findings: Finding[] = []
  const counts = { batches: 0, records: 0n }
  const log = env.backend.openLogFile(path, { mode: 'read', baseOffset })
  try {
    const indexes = new IndexChecks(look, segment, log.sizeInBytes, findings)
    try {
      const each = (batches: BatchColumns) => {
        counts.batches += batches.count
        for (let row = 0; row < batches.count; row++) counts.records += BigInt(batches.counts[row] as number)
        indexes.check(batches)
      }
      const scan = await scanSegment({ lane, log, config, epochs: NO_EPOCHS, each })
      if (scan.stop !== 'end') findings.push(damageOf(path, scan))
      indexes.end()
    } finally {
      await indexes.close()
    }
    await checkTransactions(look, baseOffset, findings)
    const { validBytes, nextOffset } = await scanEnd(look, log)
    return { baseOffset, sizeInBytes: log.sizeInBytes, validBytes, nextOffset, ...counts, findings }
  } finally {
    await log.close()
  }
}
