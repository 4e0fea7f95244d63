/**
 * Options that nobody knows are refused: a misspelt one would be ignored, and
 * `durabel: true` would promise nothing.
 */

import { wrongType } from '../errors.js'

/** Throws a TypeError unless `options` is an object with no other keys than `known`. */
export function checkKnown(options: unknown, known: ReadonlySet<string>): void {
  checkObject('options', options)
  for (const key of Object.keys(options as object)) {
    if (!known.has(key))
      throw wrongType(`options.${key}`, `one of ${[...known].join(', ')}`, 'an unknown option')
  }
}

export function checkObject(name: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) throw wrongType(name, 'an object', value)
}

/** The keys of an options type, all of them. */
export function knownKeys<T extends object>(
  keys: { readonly [Key in keyof Required<T>]: true },
): ReadonlySet<string> {
  return new Set(Object.keys(keys))
}
