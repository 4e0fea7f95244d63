/**
 * JSON as every command prints it: 64-bit integers as decimal strings.
 */

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? field.toString() : field))
}
