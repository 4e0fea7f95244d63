/**
 * Values with bigints that can be printed as JSON: `JSON.stringify` gives each
 * bigint as decimal text, as offsets and timestamps are written everywhere.
 */

/** `value` with a `toJSON` that does not show among its properties. */
export function jsonable<T extends object>(value: T): T & { toJSON(): object } {
  return Object.defineProperty(value, 'toJSON', { value: toJson }) as T & { toJSON(): object }
}

/** The same for objects that are made often: a class is cheaper than a property that is defined. */
export class Jsonable {
  toJSON(): object {
    return textForm(this) as object
  }
}

function toJson(this: object): object {
  return textForm(this) as object
}

function textForm(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return value.map(textForm)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, textForm(field)]))
}
