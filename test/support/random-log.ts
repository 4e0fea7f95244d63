/** Random logs to be cleaned: keys, tombstones, codecs, old formats, producers and transactions. */
import fc from 'fast-check'
import { CODEC_IDS, type CodecName, loadedCodec } from '../../lib/format/compression.js'
import type { AbortedTransaction } from '../../lib/segment/transaction-index.js'
import { aborted, type KeyValue, marker, NOW_MS, put, type SegmentSpec } from './cleaning.js'
import { message } from './legacy-bytes.js'

export type Step =
  | {
      readonly kind: 'put'
      readonly records: readonly KeyValue[]
      readonly codec: CodecName
      readonly producer: number
      readonly appendTime: boolean
    }
  | {
      readonly kind: 'legacy'
      readonly records: readonly KeyValue[]
      readonly codec: CodecName
      readonly magic: 0 | 1
      readonly appendTime: boolean
    }
  | {
      readonly kind: 'send'
      readonly records: readonly KeyValue[]
      readonly producer: number
      readonly codec: CodecName
    }
  | { readonly kind: 'end'; readonly producer: number; readonly commit: boolean }
  | { readonly kind: 'skip'; readonly offsets: number }
  | { readonly kind: 'roll' }

const TIMES = 100

const records = fc.array(
  fc.record({
    key: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { freq: 8 }),
    value: fc.option(fc.string({ maxLength: 6 }), { freq: 4 }),
    timestamp: fc.nat(TIMES).map((ms) => NOW_MS - TIMES + ms),
  }),
  { minLength: 1, maxLength: 4 },
)
const codec = fc.constantFrom<CodecName>('none', 'none', 'none', 'gzip', 'snappy', 'lz4', 'zstd')
const appendTime = fc.boolean()

/** Steps of transactions too, and batches of magic 0 and 1, unless they are left out. */
export function steps({ transactions = true, legacy = true } = {}): fc.Arbitrary<Step[]> {
  const producer = fc.integer({ min: 1, max: 3 })
  const plain: fc.Arbitrary<Step>[] = [
    fc.record({
      kind: fc.constant('put' as const),
      records,
      codec,
      producer: fc.constantFrom(0, 0, 11, 12),
      appendTime,
    }),
    fc.record({ kind: fc.constant('skip' as const), offsets: fc.nat(3) }),
    fc.constant<Step>({ kind: 'roll' }),
  ]
  const ofOldFormats: fc.Arbitrary<Step>[] = [
    fc.record({
      kind: fc.constant('legacy' as const),
      records,
      codec: fc.constantFrom<CodecName>('none', 'gzip', 'snappy', 'lz4'),
      magic: fc.constantFrom<0 | 1>(0, 1),
      appendTime,
    }),
  ]
  const ofTransactions: fc.Arbitrary<Step>[] = [
    fc.record({ kind: fc.constant('send' as const), records, producer, codec }),
    fc.record({ kind: fc.constant('send' as const), records, producer, codec }),
    fc.record({ kind: fc.constant('end' as const), producer, commit: fc.boolean() }),
  ]
  const all = [...plain, ...(legacy ? ofOldFormats : []), ...(transactions ? ofTransactions : [])]
  return fc.array(fc.oneof(...all), {
    minLength: 1,
    maxLength: 25,
  })
}

interface OpenSegment {
  readonly baseOffset: number
  readonly batches: Buffer[]
  readonly modifiedMs: number
  readonly aborted: AbortedTransaction[]
}

/** Segments of the steps, every transaction ended; the last one is empty, as an active segment can be. */
export function logOf(steps: readonly Step[]): { segments: SegmentSpec[]; endOffset: number } {
  const writer = new Writer()
  for (const step of steps) writer.take(step)
  for (const producer of [...writer.open.keys()]) writer.take({ kind: 'end', producer, commit: true })
  writer.take({ kind: 'roll' })
  return { segments: writer.segments, endOffset: writer.next }
}

class Writer {
  next = 0
  readonly segments: OpenSegment[] = []
  /** First offset of each open transaction. */
  readonly open = new Map<number, number>()
  readonly #sequences = new Map<number, number>()

  constructor() {
    this.#roll()
  }

  take(step: Step): void {
    if (step.kind === 'roll') this.#roll()
    else if (step.kind === 'skip') this.next += step.offsets
    else if (step.kind === 'end') this.#end(step.producer, step.commit)
    else if (step.kind === 'legacy') this.#legacy(step)
    else this.#current(step)
  }

  get #segment(): OpenSegment {
    return this.segments.at(-1) as OpenSegment
  }

  #roll(): void {
    if (this.segments.at(-1)?.baseOffset === this.next) return
    const modifiedMs = NOW_MS - 10_000 + this.segments.length * 1000
    this.segments.push({ baseOffset: this.next, batches: [], modifiedMs, aborted: [] })
  }

  #current(step: Step & { kind: 'put' | 'send' }): void {
    const isSend = step.kind === 'send'
    if (isSend && !this.open.has(step.producer)) this.open.set(step.producer, this.next)
    const baseSequence = this.#sequences.get(step.producer) ?? 0
    this.#sequences.set(step.producer, baseSequence + step.records.length)
    const producer = { id: step.producer, epoch: 0, baseSequence, transactional: isSend }
    const options = {
      compression: step.codec,
      ...(step.producer === 0 ? {} : { producer }),
      ...(!isSend && step.appendTime ? { appendTime: NOW_MS - 50 } : {}),
    }
    this.#segment.batches.push(put(this.next, step.records, options))
    this.next += step.records.length
  }

  #end(producer: number, commit: boolean): void {
    const firstOffset = this.open.get(producer)
    if (firstOffset === undefined) return
    this.open.delete(producer)
    this.#segment.batches.push(marker(this.next, commit ? 'COMMIT' : 'ABORT', producer))
    const lastStableOffset = BigInt(Math.min(this.next + 1, ...this.open.values()))
    if (!commit)
      this.#segment.aborted.push({ ...aborted(producer, firstOffset, this.next), lastStableOffset })
    this.next++
  }

  #legacy({ records: given, codec: name, magic, appendTime: isAppendTime }: Step & { kind: 'legacy' }): void {
    const typeBit = magic === 1 && isAppendTime ? 8 : 0
    const first = this.next
    const bytesOf = (text: string | null) => (text === null ? null : Buffer.from(text))
    const messages = given.map(({ key, value, timestamp }, n) =>
      message({
        magic,
        attributes: name === 'none' ? typeBit : 0,
        offset: BigInt(name !== 'none' && magic === 1 ? n : first + n),
        timestamp: BigInt(timestamp ?? 0),
        key: bytesOf(key),
        value: bytesOf(value),
      }),
    )
    this.next += given.length
    if (name === 'none') this.#segment.batches.push(...messages)
    else {
      const value = Buffer.from(loadedCodec(name).compress(Buffer.concat(messages)))
      const timestamp = isAppendTime ? NOW_MS - 50 : Math.max(...given.map((record) => record.timestamp ?? 0))
      const attributes = typeBit | CODEC_IDS[name]
      this.#segment.batches.push(
        message({
          magic,
          attributes,
          offset: BigInt(this.next - 1),
          timestamp: BigInt(timestamp),
          key: null,
          value,
        }),
      )
    }
  }
}
