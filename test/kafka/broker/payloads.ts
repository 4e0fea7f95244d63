/** Records worth writing, the same in every run; `from` is the time of the first. */
import { lines, noise } from '../../support/codecs.js'
import { type Entry, entry } from './entries.js'

export const CODECS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const

export const TIME = 1_700_000_000_000
export const HOUR = 3_600_000

/** More than one block of every codec that works in blocks. */
const SEVERAL_BLOCKS = 70_000
const NOT_UTF8 = Buffer.of(0xff, 0xfe, 0, 0x80, 0xc3, 0x28, 10, 13)

/** Absent and empty parts, headers, bytes that are no text, times out of order. All have keys if `keyed`. */
export function oddEntries(from: number, keyed = false): Entry[] {
  const none = keyed ? 'no key' : null
  return [
    entry(from, none, 'null key'),
    entry(from + 1, '', 'empty key'),
    entry(from + 5, 'tombstone', null),
    entry(from + 3, 'empty value', ''),
    entry(from + 3, none, null),
    entry(from + 2, 'headers', 'v', [
      ['b', '1'],
      ['a', '2'],
      ['b', null],
      ['', ''],
      ['über 日本 😀', NOT_UTF8],
    ]),
    entry(from + 4, NOT_UTF8, NOT_UTF8),
  ]
}

/** A batch of small records, and one that is large in a codec's measure. */
export function codecEntries(codec: string, from: number): readonly [small: Entry[], large: Entry[]] {
  const small = [
    entry(from, codec, 'first'),
    entry(from + 1, codec, 'second second second second second second second'),
    entry(from + 2, `${codec} noise`, noise(600)),
    entry(from + 3, `${codec} header`, null, [['codec', codec]]),
  ]
  const large = [
    entry(from + 4, `${codec} text`, lines(SEVERAL_BLOCKS)),
    entry(from + 4, `${codec} noise`, noise(SEVERAL_BLOCKS, 7)),
  ]
  return [small, large]
}

/** `count` records of `size` bytes each, one ms apart, with ten keys in turn. */
export function numberedEntries(count: number, from: number, size = 200): Entry[] {
  return Array.from({ length: count }, (_, n) =>
    entry(from + n, `key ${n % 10}`, `value ${from + n}`.padEnd(size, '.')),
  )
}
