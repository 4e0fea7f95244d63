/**
 * Looks a key up in an index file by reading it: the warm section at the end
 * in one read, since most lookups are for recent records, then a binary search
 * by blocks. Holds no part of any file, so that memory does not grow with the
 * number of segments. Any bytes are safe: an unsorted file gives a wrong
 * entry, never one out of bounds.
 */

import { readFully } from './file-io.js'
import type { EntryForm } from './index-entries.js'
import type { IndexView } from './views.js'

const WARM_BYTES = 8192
const BLOCK_BYTES = 4096

// Lookups are synchronous and do not nest, so one buffer a thread is enough.
const scratch = Buffer.allocUnsafeSlow(WARM_BYTES)

/** The last entry whose key is at most `key`, or null. */
export function lookUp<Key extends number | bigint, Entry>(
  index: IndexView,
  form: EntryForm<Key, Entry>,
  key: Key,
): Entry | null {
  const warm = Math.min(index.entries, Math.floor(WARM_BYTES / form.entrySize))
  if (warm === 0) return null
  const firstWarm = index.entries - warm
  load(index, form.entrySize, firstWarm, warm)
  if (form.key(scratch, 0) <= key) return lastAtMost(form, warm, key)
  return lookUpCold(index, form, key, firstWarm)
}

/** Entry `n`, which the caller has checked to be there. */
export function entryAt<Key, Entry>(index: IndexView, form: EntryForm<Key, Entry>, n: number): Entry {
  load(index, form.entrySize, n, 1)
  return form.decode(scratch, 0)
}

/** Searches the first `end` entries, a block at each step. */
function lookUpCold<Key extends number | bigint, Entry>(
  index: IndexView,
  form: EntryForm<Key, Entry>,
  key: Key,
  end: number,
): Entry | null {
  const blockEntries = Math.floor(BLOCK_BYTES / form.entrySize)
  let [low, high] = [0, end]
  let found: Entry | null = null
  while (low < high) {
    const count = Math.min(blockEntries, high - low)
    const first = low + ((high - low - count) >>> 1)
    load(index, form.entrySize, first, count)
    if (form.key(scratch, 0) > key) high = first
    else if (form.key(scratch, (count - 1) * form.entrySize) > key) return lastAtMost(form, count, key)
    else {
      found = form.decode(scratch, (count - 1) * form.entrySize)
      low = first + count
    }
  }
  return found
}

/** The search in the buffer's first `count` entries, of which the first is known to be at most `key`. */
function lastAtMost<Key extends number | bigint, Entry>(
  form: EntryForm<Key, Entry>,
  count: number,
  key: Key,
): Entry {
  let [low, high] = [0, count - 1]
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if (form.key(scratch, middle * form.entrySize) <= key) low = middle
    else high = middle - 1
  }
  return form.decode(scratch, low * form.entrySize)
}

/** Reads entries into the buffer; what a file cut by others lacks is zero. */
function load(index: IndexView, entrySize: number, first: number, count: number): void {
  const length = count * entrySize
  const read = readFully(index.fd, index.path, scratch, length, first * entrySize)
  if (read < length) scratch.fill(0, read, length)
}
