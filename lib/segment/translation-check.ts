/**
 * Whether a backend's answer to "where is this offset?" can be believed.
 */

import type { BatchPlace, LogFile, OffsetIndexFile, Translation } from '../backend/contract.js'
import { INT32_MAX } from '../base/int64.js'
import { damagedBatch } from './batch-header.js'
import { checkAnswer } from './index-sanity.js'
import { damageAt } from './whose-damage.js'

export interface TranslationContext {
  readonly baseOffset: bigint
  readonly log: LogFile
  /** Bytes of the `.log` that count. */
  readonly sizeInBytes: number
  readonly offsetIndex: OffsetIndexFile
  /** Relative; the backend was asked for the largest that a segment can hold, where it is beyond that. */
  readonly target: number
}

/** `translation`, or `ERR_CORRUPT` of the log or of the index that led there. */
export function checkTranslation(translation: Translation, context: TranslationContext): Translation {
  const { stop, position } = translation
  // Beyond what counts lies a tail that a writer is at, or never finished.
  if (position >= context.sizeInBytes) return { ...translation, stop: 'end', batch: null }
  if (stop === 'found' && isBelow(translation, context)) return nothingBehind(translation, context)
  if (stop === 'found') checkAnswer(context.offsetIndex, context.baseOffset, context.target, translation)
  if (stop === 'found' || stop === 'end') return translation
  const indexedPosition = translation.indexEntry.position
  throw damageAt(context.log, context.offsetIndex, { position, stop, indexedPosition })
}

/** The batch found is the one with the largest offset that a segment can hold, and the target lies in a gap behind it. */
function isBelow({ batch }: Translation, { baseOffset, target }: TranslationContext): boolean {
  return target > INT32_MAX && batch !== null && batch.lastOffset < baseOffset + BigInt(target)
}

/** Batches behind it, which no log makes, must not be left out without a word. */
function nothingBehind(translation: Translation, { log, sizeInBytes }: TranslationContext): Translation {
  const { position, sizeInBytes: size } = translation.batch as BatchPlace
  const end = position + size
  if (end < sizeInBytes) throw damagedBatch(log.path, end, 'offset-order')
  return { ...translation, stop: 'end', batch: null, position: end }
}
