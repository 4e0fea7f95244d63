/**
 * Bytes as Java makes text of them, whatever they are.
 */

import { isUtf8 } from 'node:buffer'

const lenientUtf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A surrogate in UTF-8's form, whole or cut off: Java counts it as one wrong character, the Web's rules as several. */
const SURROGATE = /\xed[\xa0-\xbf][\x80-\xbf]?/g
const ONE_WRONG_BYTE = '\xff'

/** Bytes to be printed: themselves where they are UTF-8, which spares the way through a string. */
export function printableBytes(bytes: Buffer): string | Buffer {
  return isUtf8(bytes) ? bytes : javaText(bytes)
}

/** With U+FFFD for what is no UTF-8, as many as Java writes. */
export function javaText(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  const replaced = bytes.toString('latin1').replace(SURROGATE, ONE_WRONG_BYTE)
  return lenientUtf8.decode(Buffer.from(replaced, 'latin1'))
}
