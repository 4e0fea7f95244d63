/**
 * Looks a key up in an index file by reading it: the warm section at the end
 * in one read, since most lookups are for recent records, then the rest, a
 * block at a time around where the key should lie. Holds no part of any file, so that memory does not grow
 * with the number of segments. Any bytes are safe: an unsorted file gives a
 * wrong entry (the same one in each backend), never one out of bounds.
 */

import { readFully } from './file-io.js'
import type { EntryForm } from './index-entries.js'
import type { IndexView } from './views.js'

const WARM_BYTES = 8192
const BLOCK_BYTES = 4096

// Lookups are synchronous and do not nest, so one buffer a thread is enough.
const scratch = Buffer.allocUnsafeSlow(WARM_BYTES + BLOCK_BYTES)

/** The last entry whose key is at most `key`, or null. */
export function lookUp<Key extends number | bigint, Entry>(
  index: IndexView,
  form: EntryForm<Key, Entry>,
  key: Key,
): Entry | null {
  if (index.entries === 0) return null
  const entries = new EntryReader(index, form)
  const last = index.entries - 1
  const firstWarm = Math.max(0, last - Math.floor(WARM_BYTES / form.entrySize))
  entries.load(firstWarm, last)
  if (entries.key(firstWarm) <= key) return entries.decode(lastAtMost(entries, key, firstWarm, last))
  if (firstWarm === 0 || entries.key(0) > key) return null
  return entries.decode(lastAtMost(entries, key, 0, firstWarm - 1))
}

/** Entry `n`, which the caller has checked to be there. */
export function entryAt<Key, Entry>(index: IndexView, form: EntryForm<Key, Entry>, n: number): Entry {
  const entries = new EntryReader(index, form)
  entries.load(n, n)
  return entries.decode(n)
}

/** Where fewer entries are left, halving them costs less than guessing. */
const FEW_ENTRIES = 16
/** First step away from a guess, and how much longer each next one is. */
const FIRST_STEP = 4
const STEP_GROWTH = 8
/** An index whose keys do not rise evenly is halved after so many guesses. */
const MOST_GUESSES = 3

/** The last entry with a key of at most the one looked for is `low` or one between it and `high`. */
interface SearchRange {
  low: number
  high: number
  lowKey: number
  highKey: number
}

/** The last entry in [first, last] with a key of at most `key`, given that the first has one. */
function lastAtMost<Key extends number | bigint, Entry>(
  entries: EntryReader<Key, Entry>,
  key: Key,
  first: number,
  last: number,
): number {
  const range: SearchRange = { low: first, high: last + 1, lowKey: 0, highKey: 0 }
  if (last - first > FEW_ENTRIES) {
    const lastKey = entries.key(last)
    if (lastKey <= key) return last
    range.high = last
    range.lowKey = Number(entries.key(first))
    range.highKey = Number(lastKey)
  }
  for (let guess = 0; guess < MOST_GUESSES && range.high - range.low > FEW_ENTRIES; guess++) {
    // Keys of a damaged index need not rise.
    if (!(range.lowKey < range.highKey)) break
    narrow(entries, key, range)
  }
  while (range.high - range.low > 1) {
    const middle = (range.low + range.high) >>> 1
    if (entries.key(middle) <= key) range.low = middle
    else range.high = middle
  }
  return range.low
}

/**
 * Guesses where `key` lies if keys rise evenly, then steps away from the guess
 * until the range has its end on either side of `key`. In doubles, as native
 * code does it, so that both come to the same entry of an unsorted file.
 */
function narrow<Key extends number | bigint, Entry>(
  entries: EntryReader<Key, Entry>,
  key: Key,
  range: SearchRange,
): void {
  const share = (Number(key) - range.lowKey) / (range.highKey - range.lowKey)
  const guess = range.low + Math.trunc(share * (range.high - range.low))
  let at = Math.min(Math.max(guess, range.low + 1), range.high - 1)
  let found = entries.key(at)
  const isBelow = found <= key
  for (let step = FIRST_STEP; found <= key === isBelow; step *= STEP_GROWTH) {
    setEnd(range, isBelow, at, found)
    at += isBelow ? step : -step
    if (at <= range.low || at >= range.high) return
    found = entries.key(at)
  }
  setEnd(range, !isBelow, at, found)
}

function setEnd(range: SearchRange, isLow: boolean, at: number, key: number | bigint): void {
  if (isLow) {
    range.low = at
    range.lowKey = Number(key)
  } else {
    range.high = at
    range.highKey = Number(key)
  }
}

/** Entries by number, read in blocks around what is asked for. */
class EntryReader<Key, Entry> {
  readonly #index: IndexView
  readonly #form: EntryForm<Key, Entry>
  #first = 0
  #last = -1

  constructor(index: IndexView, form: EntryForm<Key, Entry>) {
    this.#index = index
    this.#form = form
  }

  key(n: number): Key {
    return this.#form.key(scratch, this.#locate(n))
  }

  decode(n: number): Entry {
    return this.#form.decode(scratch, this.#locate(n))
  }

  /** Reads entries `first` to `last`; what a file cut by others lacks is zero. */
  load(first: number, last: number): void {
    const { entrySize } = this.#form
    const length = (last - first + 1) * entrySize
    const read = readFully(this.#index.fd, this.#index.path, scratch, length, first * entrySize)
    if (read < length) scratch.fill(0, read, length)
    this.#first = first
    this.#last = last
  }

  #locate(n: number): number {
    if (n < this.#first || n > this.#last) {
      const half = Math.floor(BLOCK_BYTES / this.#form.entrySize / 2)
      this.load(Math.max(0, n - half), Math.min(this.#index.entries - 1, n + half))
    }
    return (n - this.#first) * this.#form.entrySize
  }
}
