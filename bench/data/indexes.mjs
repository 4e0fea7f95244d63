/**
 * An offset index of 10 MiB, as full as `segment.index.bytes` lets it get by
 * default: 1,310,720 entries, about 37 records and 1,600 bytes apart.
 */
import { writeFileSync } from 'node:fs'
import { NumberSource } from './numbers.mjs'

const ENTRIES = { full: 1_310_720, short: 1_310_720, smoke: 4096 }
const ENTRY_BYTES = 8
const RECORDS_APART = 37
const BYTES_APART = 1600

export const data = {
  'offset-index': (path, size) => {
    const bytes = Buffer.alloc(ENTRIES[size] * ENTRY_BYTES)
    const source = new NumberSource()
    for (let n = 0; n < ENTRIES[size]; n++) {
      bytes.writeInt32BE(n * RECORDS_APART + source.below(RECORDS_APART), n * ENTRY_BYTES)
      bytes.writeInt32BE(n * BYTES_APART, n * ENTRY_BYTES + 4)
    }
    writeFileSync(path, bytes)
  },
}
