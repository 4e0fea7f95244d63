/**
 * Keys' hashes and their last offsets, in open addressing: where Kafka's map
 * looks for a key. Always true: a slot is empty where its hash is zero, and
 * one slot at least is.
 */

import { ClosedError } from '../../errors.js'
import { withMemory } from '../no-memory.js'
import { badRow, checkKeyed, checkMap, checkPut } from '../record-arguments.js'
import type { ColumnMemory } from '../record-columns.js'
import {
  type OffsetMap,
  type OffsetMapOptions,
  type RecordColumns,
  type RowRange,
  SLOT_BYTES,
} from '../record-kernel.js'
import { md5 } from './md5.js'
import { xxh3 } from './xxh3.js'

/** Sets four words to the hash of `bytes[from, from + size)`, big-endian. */
type KeyHash = (bytes: Uint8Array, from: number, size: number, words: Int32Array) => void

const HASHES: Readonly<Record<OffsetMapOptions['hash'], KeyHash>> = { md5, xxh3 }

const WORDS_A_SLOT = SLOT_BYTES / 4
const LONGS_A_SLOT = SLOT_BYTES / 8
/** The hash holds as many windows of four bytes; behind them the search goes from slot to slot. */
const WINDOWS = 13

export class PortableOffsetMap implements OffsetMap {
  readonly slots: number
  readonly #hash: KeyHash
  readonly #key = new Int32Array(4)
  #size = 0
  /** Two views of the same memory; empty once it is closed. */
  #words: Int32Array
  #longs: BigInt64Array

  constructor(options: OffsetMapOptions) {
    this.slots = checkMap(options)
    this.#hash = HASHES[options.hash]
    const sizeInBytes = this.slots * SLOT_BYTES
    const memory = withMemory('an offset map', sizeInBytes, () => new ArrayBuffer(sizeInBytes))
    this.#words = new Int32Array(memory)
    this.#longs = new BigInt64Array(memory)
  }

  get size(): number {
    return this.#size
  }

  put(bytes: Uint8Array, given: RecordColumns, rows: RowRange, fromOffset: bigint, maxSize: number): number {
    this.#requireOpen()
    const columns = checkKeyed(bytes, given, rows)
    checkPut(this.slots, fromOffset, maxSize)
    for (let row = rows.from; row < rows.from + rows.count; row++) {
      const offset = columns.offsets[row] as bigint
      if ((columns.keySizes[row] as number) < 0 || offset < fromOffset) continue
      if (this.#size >= maxSize) return row - rows.from
      const slot = this.#find(bytes, columns, row)
      if (this.#isEmpty(slot)) {
        this.#words.set(this.#key, slot * WORDS_A_SLOT)
        this.#size++
      }
      this.#longs[slot * LONGS_A_SLOT + 2] = offset
    }
    return rows.count
  }

  markSuperseded(bytes: Uint8Array, given: RecordColumns, rows: RowRange): void {
    this.#requireOpen()
    const columns = checkKeyed(bytes, given, rows)
    for (let row = rows.from; row < rows.from + rows.count; row++) {
      columns.superseded[row] = this.#isSuperseded(bytes, columns, row) ? 1 : 0
    }
  }

  clear(): void {
    this.#requireOpen()
    this.#words.fill(0)
    this.#size = 0
  }

  close(): void {
    this.#words = new Int32Array(0)
    this.#longs = new BigInt64Array(0)
    this.#size = 0
  }

  #requireOpen(): void {
    if (this.#words.length === 0) throw new ClosedError('ERR_CLOSED', 'the offset map is closed')
  }

  #isSuperseded(bytes: Uint8Array, columns: ColumnMemory, row: number): boolean {
    if ((columns.keySizes[row] as number) < 0) return false
    const slot = this.#find(bytes, columns, row)
    if (this.#isEmpty(slot)) return false
    return (this.#longs[slot * LONGS_A_SLOT + 2] as bigint) > (columns.offsets[row] as bigint)
  }

  /** The slot of the row's key, or the empty one where it would go; the hash is left in `#key`. */
  #find(bytes: Uint8Array, columns: ColumnMemory, row: number): number {
    const position = columns.keyPositions[row] as number
    const size = columns.keySizes[row] as number
    if (position < 0 || size > bytes.length - position) throw badRow(row)
    const key = this.#key
    this.#hash(bytes, position, size, key)
    // A hash of zeros would look like an empty slot.
    if (((key[0] as number) | (key[1] as number) | (key[2] as number) | (key[3] as number)) === 0) key[3] = 1
    let slot = 0
    for (let n = 0; n < WINDOWS; n++) {
      slot = absolute(windowOf(key, n)) % this.slots
      if (this.#isEnd(slot)) return slot
    }
    do slot = slot + 1 === this.slots ? 0 : slot + 1
    while (!this.#isEnd(slot))
    return slot
  }

  #isEnd(slot: number): boolean {
    const words = this.#words
    const key = this.#key
    const at = slot * WORDS_A_SLOT
    const isKey =
      words[at] === key[0] && words[at + 1] === key[1] && words[at + 2] === key[2] && words[at + 3] === key[3]
    return isKey || this.#isEmpty(slot)
  }

  #isEmpty(slot: number): boolean {
    const words = this.#words
    const at = slot * WORDS_A_SLOT
    return (
      ((words[at] as number) |
        (words[at + 1] as number) |
        (words[at + 2] as number) |
        (words[at + 3] as number)) ===
      0
    )
  }
}

/** Bytes `n` to `n + 3` of the hash. */
function windowOf(key: Int32Array, n: number): number {
  const bits = 8 * (n & 3)
  const first = key[n >> 2] as number
  return bits === 0 ? first : (first << bits) | ((key[(n >> 2) + 1] as number) >>> (32 - bits))
}

/** As Kafka's: the least int, which has no positive counterpart, counts as 0. */
function absolute(word: number): number {
  return word === -0x8000_0000 ? 0 : Math.abs(word)
}
