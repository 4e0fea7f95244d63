import { describe, expect, test } from 'vitest'
import { lz4From } from '../../lib/backend/codecs/lz4.js'
import { bestXxh32, nativeLz4, scriptLz4 } from '../../lib/backend/codecs/lz4-libraries.js'
import { lz4BlockShape } from '../../lib/format/lz4-block.js'
import { LZ4_BLOCK_BYTES } from '../../lib/format/lz4-frame.js'
import { xxh32 } from '../../lib/format/xxh32.js'
import { lines, noise, ourError, upTo } from '../support/codecs.js'

const libraries = [await nativeLz4(), await scriptLz4()]
const codecs = [lz4From(libraries[0]!, await bestXxh32()), lz4From(libraries[1]!, (bytes) => xxh32(bytes))]
const ROOM = upTo(10 << 20)

interface FrameParts {
  readonly blocks: readonly Uint8Array[]
  readonly stored?: boolean
  readonly flags?: number
  readonly blockSize?: number
  readonly contentSize?: bigint
  /** Content whose checksum follows the end. */
  readonly content?: Uint8Array
  readonly blockChecksums?: boolean
}

/** A frame with any options. */
function frame(parts: FrameParts): Buffer {
  const options = [
    parts.content && 0x04,
    parts.contentSize !== undefined && 0x08,
    parts.blockChecksums && 0x10,
  ]
  const flags = parts.flags ?? options.reduce<number>((sum, bit) => sum | (bit || 0), 0x60)
  const descriptor = Buffer.concat([
    Buffer.from([flags, (parts.blockSize ?? 4) << 4]),
    int64(parts.contentSize),
  ])
  const blocks = parts.blocks.flatMap((block) => [
    word(block.length + (parts.stored ? 0x80000000 : 0)),
    block,
    ...(parts.blockChecksums ? [word(xxh32(block))] : []),
  ])
  const end = parts.content === undefined ? [] : [word(xxh32(parts.content))]
  const check = Buffer.from([(xxh32(descriptor) >>> 8) & 0xff])
  return Buffer.concat([Buffer.from('04224d18', 'hex'), descriptor, check, ...blocks, word(0), ...end])
}

function word(n: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(n)
  return bytes
}

function int64(n: bigint | undefined): Buffer {
  const bytes = Buffer.alloc(n === undefined ? 0 : 8)
  if (n !== undefined) bytes.writeBigUInt64LE(n)
  return bytes
}

const text = lines(5000)
const block = Buffer.from(libraries[0]!.compress(text))

describe('written', () => {
  test('is version 1, independent blocks of 64 KiB, no checksums but the header’s', () => {
    for (const codec of codecs) {
      const bytes = Buffer.from(codec.compress(text))
      expect(bytes.subarray(0, 7).toString('hex')).toBe('04224d18604082')
      expect(bytes.readUInt32LE(7)).toBe(bytes.length - 7 - 4 - 4)
      expect(bytes.readUInt32LE(bytes.length - 4)).toBe(0)
    }
  })

  test('is an end mark for no input', () => {
    for (const codec of codecs) {
      expect(Buffer.from(codec.compress(new Uint8Array())).toString('hex')).toBe('04224d1860408200000000')
    }
  })

  test('known fault 170: stores a block that does not get smaller', () => {
    for (const codec of codecs) {
      const input = noise(LZ4_BLOCK_BYTES + 100)
      const bytes = Buffer.from(codec.compress(input))
      expect(bytes.readUInt32LE(7)).toBe(0x80000000 + LZ4_BLOCK_BYTES)
      expect(bytes.subarray(11, 11 + LZ4_BLOCK_BYTES).equals(input.subarray(0, LZ4_BLOCK_BYTES))).toBe(true)
    }
  })
})

describe('read', () => {
  test.each([
    ['a compressed block', frame({ blocks: [block] }), text],
    ['a stored block', frame({ blocks: [text], stored: true }), text],
    [
      'a stored block that is full',
      frame({ blocks: [noise(LZ4_BLOCK_BYTES)], stored: true }),
      noise(LZ4_BLOCK_BYTES),
    ],
    ['two blocks', frame({ blocks: [block, block] }), Buffer.concat([text, text])],
    ['a larger block size', frame({ blocks: [noise(200_000)], stored: true, blockSize: 5 }), noise(200_000)],
    ['a content size', frame({ blocks: [block], contentSize: 5000n }), text],
    ['block checksums', frame({ blocks: [block, block], blockChecksums: true }), Buffer.concat([text, text])],
    [
      'a content checksum',
      frame({ blocks: [block, block], content: Buffer.concat([text, text]) }),
      Buffer.concat([text, text]),
    ],
    [
      'all of them',
      frame({ blocks: [block], content: text, contentSize: 5000n, blockChecksums: true }),
      text,
    ],
    [
      'the first frame alone, as in Kafka',
      Buffer.concat([frame({ blocks: [block] }), frame({ blocks: [block] })]),
      text,
    ],
    [
      'bytes behind the frame, as in Kafka',
      Buffer.concat([frame({ blocks: [block] }), Buffer.from('rest')]),
      text,
    ],
    ['no block', frame({ blocks: [] }), Buffer.alloc(0)],
  ])('known faults 170 and 173: %s', async (_, bytes, expected) => {
    for (const codec of codecs) {
      expect(Buffer.compare(codec.decompress(bytes, ROOM), expected)).toBe(0)
      expect(Buffer.compare(await codec.decompressAsync(bytes, ROOM), expected)).toBe(0)
    }
  })

  test('refuses every frame that is cut off', () => {
    const whole = frame({ blocks: [block], content: text, contentSize: 5000n, blockChecksums: true })
    for (let length = 0; length < whole.length; length++) {
      expect(ourError(() => codecs[0]!.decompress(whole.subarray(0, length), ROOM)).code, `${length}`).toBe(
        'ERR_CORRUPT',
      )
    }
  })

  test.each([
    ['a wrong block checksum', 'a block checksum', (bytes: Buffer) => bytes.length - 12],
    ['a wrong content checksum', 'the content checksum', (bytes: Buffer) => bytes.length - 1],
    ['a wrong content size', 'the frame declares', () => 6],
  ])('known fault 172: refuses %s', (_, message, at) => {
    for (const codec of codecs) {
      const bytes = frame({ blocks: [block], content: text, contentSize: 5000n, blockChecksums: true })
      bytes[at(bytes)]! ^= 1
      // Magic 0: the header's own checksum must not be what catches it.
      const error = ourError(() => codec.decompress(bytes, upTo(10 << 20, 0)))
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'compression' })
      expect(error.message).toContain(message)
    }
  })

  test('known fault 169: looks at the header checksum for magic 1 and 2, not for magic 0', () => {
    const bytes = frame({ blocks: [block] })
    bytes[6]! ^= 0xff
    expect(Buffer.compare(codecs[0]!.decompress(bytes, upTo(5000, 0)), text)).toBe(0)
    for (const magic of [1, 2] as const) {
      expect(ourError(() => codecs[0]!.decompress(bytes, upTo(5000, magic))).message).toContain(
        'header checksum',
      )
    }
  })

  test('known fault 173: refuses linked blocks, by name', () => {
    for (const codec of codecs) {
      const error = ourError(() => codec.decompress(frame({ blocks: [block], flags: 0x40 }), ROOM))
      expect(error).toMatchObject({ name: 'UnsupportedError', code: 'ERR_UNSUPPORTED' })
      expect(error.message).toContain('linked blocks')
    }
  })

  test.each([
    ['another version', frame({ blocks: [block], flags: 0xa0 })],
    ['a reserved flag', frame({ blocks: [block], flags: 0x62 })],
    ['a dictionary', frame({ blocks: [block], flags: 0x61 })],
    ['an unknown block size', frame({ blocks: [block], blockSize: 3 })],
    ['a reserved bit beside the block size', frame({ blocks: [block], blockSize: 12 })],
    ['a block above the block size', frame({ blocks: [noise(LZ4_BLOCK_BYTES + 1)], stored: true })],
    [
      'a block that grows above the block size',
      frame({ blocks: [libraries[0]!.compress(Buffer.alloc(LZ4_BLOCK_BYTES + 1))] }),
    ],
    [
      'another magic number',
      Buffer.concat([Buffer.from('05224d18', 'hex'), frame({ blocks: [block] }).subarray(4)]),
    ],
  ])('refuses %s', (_, bytes) => {
    for (const codec of codecs) {
      expect(ourError(() => codec.decompress(bytes, ROOM))).toMatchObject({
        code: 'ERR_CORRUPT',
        kind: 'compression',
      })
    }
  })
})

describe('a block', () => {
  test.each([
    ['literals', '30616263', 3],
    ['no literals', '00', 0],
    ['a match', '1261010050' + '6162636465', 1 + 6 + 5],
    ['a match with more length', '1f6101000550' + '6162636465', 1 + 24 + 5],
    ['a long run of literals', `f000${'61'.repeat(15)}`, 15],
    ['nothing', '', null],
    ['literals beyond the end', '306162', null],
    ['a literal length that is cut off', 'f0ff', null],
    ['an end after a match', '12610100', null],
    ['an offset that is cut off', '126101', null],
    ['offset 0', '1261000050' + '6162636465', null],
    ['an offset before the block', '1261020050' + '6162636465', null],
    ['a match length that is cut off', '1f610100ff', null],
  ])('%s', (_, hex, length) => {
    expect(lz4BlockShape(Buffer.from(hex, 'hex'), 100)?.length ?? null).toBe(length)
  })

  test('above the limit is none', () => {
    const zeros = libraries[0]!.compress(Buffer.alloc(1000))
    expect(lz4BlockShape(zeros, 1000)?.length).toBe(1000)
    expect(lz4BlockShape(zeros, 999)).toBeNull()
  })

  test.each(libraries.map((library) => [library.library, library] as const))(
    'by %s ends as strict readers want it',
    (_, library) => {
      let matches = 0
      for (let seed = 1; seed <= 3000; seed++) {
        // Few letters, so that matches begin everywhere, near the end too.
        const input = Buffer.from(noise(20 + (seed % 200), seed).map((byte) => byte & 1))
        const compressed = library.compress(input)
        if (compressed.length >= input.length) continue
        const shape = lz4BlockShape(compressed, input.length)
        expect(shape?.length).toBe(input.length)
        if (shape!.lastSequence < 0) continue
        matches++
        expect(shape!.lastMatchAt).toBeLessThanOrEqual(input.length - 12)
        expect(Buffer.compare(library.uncompress(compressed, input.length), input)).toBe(0)
      }
      expect(matches).toBeGreaterThan(1000)
    },
  )
})
