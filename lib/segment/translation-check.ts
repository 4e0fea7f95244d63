/**
 * Whether a backend's answer to "where is this offset?" can be believed.
 */

import type { LogFile, OffsetIndexFile, Translation } from '../backend/contract.js'
import { checkAnswer } from './index-sanity.js'
import { damageAt } from './whose-damage.js'

export interface TranslationContext {
  readonly baseOffset: bigint
  readonly log: LogFile
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
  const indexedPosition = translation.indexEntry.position
  throw damageAt(context.log, context.offsetIndex, { position, stop, indexedPosition })
}
