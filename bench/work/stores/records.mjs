/** The records of the user's rows: 16 random bytes of key and `valueBytes` of value, the same ones in every process. */
import { Random } from '../keys.mjs'

const KEY_BYTES = 16
/** They come again after these, so that no contender waits for bytes to be made. */
const DISTINCT = 1_000

/** `count` records; those behind the first thousand are the same again. */
export function makeRecords(count, valueBytes) {
  const random = new Random()
  const distinct = Array.from({ length: Math.min(count, DISTINCT) }, () => ({
    key: randomBytes(random, KEY_BYTES),
    value: randomBytes(random, valueBytes),
  }))
  return Array.from({ length: count }, (_, at) => distinct[at % distinct.length])
}

function randomBytes(random, size) {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < size; at += 4) bytes.writeUInt32LE(random.next() >>> 0, at)
  return bytes
}
