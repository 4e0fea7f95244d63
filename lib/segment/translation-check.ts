/**
 * Whether a backend's answer to "where is this offset?" can be believed.
 */

import type { OffsetIndexFile, Translation } from '../backend/contract.js'
import { damagedBatch } from './batch-header.js'
import { checkAnswer } from './index-sanity.js'

export interface TranslationContext {
  readonly baseOffset: bigint
  readonly logPath: string
  /** Bytes of the `.log` that count. */
  readonly sizeInBytes: number
  readonly offsetIndex: OffsetIndexFile
  readonly target: number
}

/** `translation`, or `ERR_CORRUPT` of the log or of the index that led there. */
export function checkTranslation(translation: Translation, context: TranslationContext): Translation {
  const { stop, position } = translation
  // Beyond what counts lies a tail that a writer is at, or never finished.
  if (position >= context.sizeInBytes) return { ...translation, stop: 'end', batch: null }
  if (stop === 'found') checkAnswer(context.offsetIndex, context.baseOffset, context.target, translation)
  if (stop === 'found' || stop === 'end') return translation
  throw damagedBatch(context.logPath, position, stop)
}
