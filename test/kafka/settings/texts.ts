/**
 * Random texts for settings: right ones in every form, the edges and what lies
 * beyond them, and rubbish; and what Kafka's answer means as a value of ours.
 */
import fc from 'fast-check'
import type { Setting } from '../../../lib/config/setting.js'

export const RUBBISH = [
  '',
  ' ',
  'x',
  '1.5',
  '1e3',
  '0x10',
  '1_000',
  '1 2',
  'null',
  'TRUE',
  'yes',
  ',',
  '-',
  '+',
  '*',
]
const INTEGERS = [2n ** 31n, 2n ** 53n, 2n ** 63n].flatMap((edge) => [edge - 1n, edge, -edge, -edge - 1n])

/** Blanks that Java's `trim` takes away, and some that it does not. */
const blanks = fc.constantFrom('', '', '', ' ', '\t', '\n', '\u0001', '\u00a0')

function written(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.tuple(blanks, text, blanks).map((parts) => parts.join(''))
}

function integerTexts({ min, max, fallback }: { min?: number; max?: number; fallback: number }) {
  const edges = [min ?? 0, max ?? 0, fallback].filter(Number.isSafeInteger).flatMap((n) => [n - 1, n, n + 1])
  const value = fc.oneof(
    fc.constantFrom(...edges.map(BigInt)),
    fc.constantFrom(...INTEGERS),
    fc.integer({ min: -3, max: 20 }).map(BigInt),
    fc.bigInt(-(2n ** 33n), 2n ** 33n),
    fc.bigInt(-(2n ** 63n), 2n ** 63n),
  )
  const form = fc.constantFrom(
    (n: bigint) => `${n}`,
    (n: bigint) => (n < 0n ? `-00${-n}` : `+${n}`),
    (n: bigint) => (n < 0n ? `${n}` : `000000000000000000000000${n}`),
  )
  return fc.tuple(value, form).map(([n, write]) => write(n))
}

function doubleTexts() {
  const forms = [
    '.5',
    '1.',
    '0',
    '-0',
    '-0.0',
    '1',
    '1.0',
    '5e-1',
    '5E-1',
    '1e400',
    '-1e-400',
    '1.0000000000000002',
  ]
  const others = ['Infinity', '-Infinity', 'inf', '0x1', '0b1', '0o1', '.', 'e5', '1e', '+.5e+0']
  return fc.oneof(
    fc.constantFrom(...forms, ...others),
    fc.double({ min: -2, max: 3, noNaN: true }).map(String),
    fc.double({ noNaN: true }).map(String),
  )
}

function listTexts({ values, pattern }: Extract<Setting, { type: 'list' }>) {
  const items =
    values ?? (pattern === undefined ? [] : ['1:2', '0:0', '007:12', '1', ':', '1:', 'a:1', '1:2:3', '*'])
  const separator = fc.constantFrom(',', ' , ', ',\t', ',,', ';', ',\u00a0')
  const item = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...items) },
    fc.constantFrom('', 'x', 'Delete'),
  )
  return fc
    .array(fc.tuple(item, separator), { maxLength: 4 })
    .map((parts) => parts.map(([text, mark], n) => (n < parts.length - 1 ? `${text}${mark}` : text)).join(''))
}

function formsOf(setting: Setting): fc.Arbitrary<string> {
  switch (setting.type) {
    case 'int':
    case 'long':
      return integerTexts(setting)
    case 'double':
      return doubleTexts()
    case 'boolean':
      return fc.constantFrom('true', 'false', 'True', 'FALSE', 'tru', '0', '1')
    case 'enum':
      return fc.constantFrom(...setting.values, ...setting.values.map((value) => value.toUpperCase()), 'none')
    case 'list':
      return listTexts(setting)
  }
}

export function textsOf(setting: Setting): fc.Arbitrary<string> {
  return fc.oneof({ weight: 8, arbitrary: written(formsOf(setting)) }, fc.constantFrom(...RUBBISH))
}

/** Kafka's text as our value: a number that ours cannot hold is what ours makes of it. */
export function meaningOf(setting: Setting, text: string): unknown {
  switch (setting.type) {
    case 'int':
    case 'long':
      return BigInt(text) > BigInt(Number.MAX_SAFE_INTEGER) ? Number.POSITIVE_INFINITY : Number(text)
    case 'double':
      return Number(text)
    case 'boolean':
      return text === 'true'
    case 'enum':
      return text
    case 'list':
      return text === '' ? [] : text.split(',')
  }
}
