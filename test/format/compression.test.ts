import { describe, expect, test } from 'vitest'
import {
  CODEC_IDS,
  CODEC_NAMES,
  codecName,
  compressionLevel,
  loadedCodec,
  registerCodec,
} from '../../lib/format/compression.js'
import { ourError, upTo } from '../support/codecs.js'

describe('codec ids', () => {
  test('are those of the attributes', () => {
    expect([0, 1, 2, 3, 4].map(codecName)).toEqual(['none', 'gzip', 'snappy', 'lz4', 'zstd'])
    expect(CODEC_NAMES.map((name) => CODEC_IDS[name])).toEqual([0, 1, 2, 3, 4])
  })

  test.each([5, 6, 7, -1])('known fault 176: %i is named as unsupported', (id) => {
    const error = ourError(() => codecName(id))
    expect(error).toMatchObject({ name: 'UnsupportedError', code: 'ERR_UNSUPPORTED' })
    expect(error.message).toContain(String(id))
  })
})

describe('loadedCodec', () => {
  test('refuses one that is not loaded, with the remedy', () => {
    const error = ourError(() => loadedCodec('zstd'))
    expect(error.code).toBe('ERR_CODEC_NOT_LOADED')
    expect(error.message).toContain("await loadCodec('zstd')")
  })

  test('gives what was registered last', () => {
    const codec = { ...loadedCodec('none'), name: 'lz4', library: 'test' } as const
    registerCodec(codec)
    expect(loadedCodec('lz4')).toBe(codec)
  })

  test('none passes bytes through, within the limit', async () => {
    const bytes = Buffer.from('four')
    const none = loadedCodec('none')
    expect(none.decompress(none.compress(bytes), upTo(4))).toBe(bytes)
    expect(ourError(() => none.decompress(bytes, upTo(3)))).toMatchObject({
      code: 'ERR_BATCH_TOO_LARGE',
      actual: 4,
    })
    await expect(none.decompressAsync(bytes, upTo(3))).rejects.toMatchObject({ code: 'ERR_BATCH_TOO_LARGE' })
  })
})

test('levels have bounds, and a default that may lie outside of them', () => {
  expect(compressionLevel('gzip', undefined)).toBe(-1)
  expect(compressionLevel('gzip', -1)).toBe(-1)
  expect(compressionLevel('zstd', -131072)).toBe(-131072)
  expect(compressionLevel('lz4', undefined)).toBe(9)
  for (const level of [0, 10, -2, 2.5, Number.NaN])
    expect(() => compressionLevel('gzip', level)).toThrow(RangeError)
  expect(() => compressionLevel('lz4', 18)).toThrow('lz4 level must be an integer from 1 to 17')
})
