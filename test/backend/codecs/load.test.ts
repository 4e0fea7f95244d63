import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { zlibWithZstd } from '../../../lib/backend/codecs/zstd-libraries.js'

const PACKAGES = ['snappy', 'snappyjs', 'lz4-napi', 'lz4js', 'xxhash-addon']
const limits = { maxBytes: 1000, magic: 2 } as const

beforeEach(() => {
  vi.resetModules()
})

afterEach(() => {
  for (const name of PACKAGES) vi.doUnmock(name)
  vi.doUnmock('../../../lib/backend/codecs/library.js')
})

/** Fresh modules, in a process that lacks `absent`. */
async function fresh(absent: readonly string[] = []) {
  for (const name of absent) {
    vi.doMock(name, () => {
      throw new Error(`Cannot find package '${name}'`)
    })
  }
  const { loadCodec } = await import('../../../lib/backend/codecs/load.js')
  const { isCodecLoaded, loadedCodec } = await import('../../../lib/format/compression.js')
  return { loadCodec, isCodecLoaded, loadedCodec }
}

describe('loadCodec', () => {
  test('gives a codec, registers it, and gives the same one again', async () => {
    const { loadCodec, isCodecLoaded, loadedCodec } = await fresh()
    expect(isCodecLoaded('gzip')).toBe(false)
    expect(() => loadedCodec('gzip')).toThrow("await loadCodec('gzip')")
    const [first, second] = await Promise.all([loadCodec('gzip'), loadCodec('gzip')])
    expect(second).toBe(first)
    expect(await loadCodec('gzip')).toBe(first)
    expect(loadedCodec('gzip')).toBe(first)
    expect(isCodecLoaded('snappy')).toBe(false)
  })

  test('needs no loading for none', async () => {
    const { loadCodec, isCodecLoaded } = await fresh()
    expect(isCodecLoaded('none')).toBe(true)
    expect((await loadCodec('none')).name).toBe('none')
  })

  test.each([
    ['snappy', 'snappy'],
    ['lz4', 'lz4-napi'],
  ] as const)('prefers the native package for %s', async (name, library) => {
    const { loadCodec } = await fresh()
    expect((await loadCodec(name)).library).toBe(library)
  })

  test.each([
    ['snappy', ['snappy'], 'snappyjs'],
    ['lz4', ['lz4-napi'], 'lz4js'],
    ['lz4', ['lz4-napi', 'xxhash-addon'], 'lz4js'],
    ['lz4', ['xxhash-addon'], 'lz4-napi'],
  ] as const)('%s without %s is served by %s', async (name, absent, library) => {
    const { loadCodec } = await fresh(absent)
    const codec = await loadCodec(name)
    expect(codec.library).toBe(library)
    const input = Buffer.from('the same text, the same text, the same text')
    expect(Buffer.compare(codec.decompress(codec.compress(input), limits), input)).toBe(0)
  })

  test.each([
    ['snappy', ['snappy', 'snappyjs']],
    ['lz4', ['lz4-napi', 'lz4js']],
  ] as const)('%s without any of %s says what to install, and tries again later', async (name, absent) => {
    const { loadCodec, isCodecLoaded } = await fresh(absent)
    for (let times = 0; times < 2; times++) {
      const error = await loadCodec(name).then(
        () => undefined,
        (reason: Error) => reason,
      )
      expect(error).toMatchObject({ name: 'UnsupportedError', code: 'ERR_UNSUPPORTED' })
      for (const install of absent) expect(error?.message).toContain(install)
      expect((error as { cause?: AggregateError } | undefined)?.cause?.errors).toHaveLength(2)
    }
    expect(isCodecLoaded(name)).toBe(false)
  })

  test('zstd needs the package only where Node has no zstd', async () => {
    vi.doMock('../../../lib/backend/codecs/library.js', async (original) => ({
      ...(await original<object>()),
      requirePrivately: () => {
        throw new Error('Cannot find package')
      },
    }))
    const { loadCodec } = await fresh()
    if (zlibWithZstd() !== undefined) expect((await loadCodec('zstd')).library).toBe('node:zlib')
    else await expect(loadCodec('zstd')).rejects.toThrow('install the package @bokuweb/zstd-wasm')
  })

  test('refuses what is no codec', async () => {
    const { loadCodec } = await fresh()
    await expect(loadCodec('brotli' as 'gzip')).rejects.toMatchObject({
      name: 'RangeError',
      code: 'ERR_OUT_OF_RANGE',
    })
    await expect(loadCodec('toString' as 'gzip')).rejects.toThrow(RangeError)
  })
})
