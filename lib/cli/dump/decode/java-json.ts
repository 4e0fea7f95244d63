/**
 * JSON as Kafka's tools print it: without spaces, 64-bit integers as numbers,
 * and nothing escaped that need not be.
 */

/** What a decoded message is made of; fields in the order in which they are printed. */
export type JsonValue =
  | string
  | number
  | bigint
  | null
  | readonly JsonValue[]
  | { readonly [field: string]: JsonValue }

export function javaJson(value: JsonValue): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(javaJson).join(',')}]`
  const fields = Object.entries(value).map(([name, field]) => `${quoted(name)}:${javaJson(field)}`)
  return `{${fields.join(',')}}`
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
}

function quoted(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what JSON escapes
  return `"${text.replace(/["\\\u0000-\u001f]/g, (char) => SHORT_ESCAPES[char] ?? codeEscape(char))}"`
}

/** Java writes the digits of an escape in capitals. */
function codeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
}
