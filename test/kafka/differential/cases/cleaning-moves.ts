/** Words in which the cases of cleaning are written. */
import type { CodecName } from '../../../../lib/format/compression.js'
import { encodeBatch } from '../../../../lib/format/encode-batch.js'
import { message } from '../../../support/legacy-bytes.js'
import { type Operation, type ProducerSpec, type Settings, toBase64 } from '../operation.js'
import { START_MS } from '../run-script.js'

/** A key, and its value; null is a tombstone. */
export type Pair = readonly [key: string | null, value: string | null]

export const COMPACT: Settings = { 'cleanup.policy': 'compact', 'min.cleanable.dirty.ratio': '0' }

/** A map of so many keys. A slot takes 24 bytes, of ten slots nine are used. */
export const mapOf = (keys: number): Settings => ({
  'log.cleaner.dedupe.buffer.size': `${Math.ceil((keys / 9) * 10) * 24}`,
})

const base64 = (text: string | null) => (text === null ? null : toBase64(Buffer.from(text)))

/** One batch of records with the clock's time, which each contender builds. */
export function put(pairs: readonly Pair[], codec: CodecName = 'none'): Operation {
  const records = pairs.map(([key, value]) => ({
    timestamp: null,
    key: base64(key),
    value: base64(value),
    headers: [],
  }))
  return { op: 'append', records, codec, leaderEpoch: 0 }
}

/** The same as somebody's: the producer 7's, unless told otherwise. */
export function putBy(
  pairs: readonly Pair[],
  producer: Partial<ProducerSpec>,
  codec: CodecName = 'none',
): Operation {
  const whole = { id: '7', epoch: 0, baseSequence: 0, transactional: false, ...producer }
  return { ...(put(pairs, codec) as Extract<Operation, { op: 'append' }>), producer: whole }
}

export function end(producerId: string, commit: boolean): Operation {
  const fields = { producerEpoch: 0, coordinatorEpoch: 0, leaderEpoch: 0, transactionVersion: 1 }
  return { op: 'marker', producerId, commit, ...fields }
}

/** So many batches of one record each, of the keys in turn. */
export function rounds(
  count: number,
  keys: readonly string[],
  value = (n: number) => `value ${n}`,
): Operation[] {
  return Array.from({ length: count }, (_, n) => put([[keys[n % keys.length] as string, value(n)]]))
}

/** A batch of the leader's with these records at `baseOffset`, for a follower. */
export function fetched(baseOffset: number, pairs: readonly Pair[], compression: CodecName = 'none'): Buffer {
  const records = pairs.map(([key, value], n) => ({ key, value, timestamp: START_MS + n }))
  return encodeBatch(records, { partitionLeaderEpoch: 0, baseOffset: BigInt(baseOffset), compression })
}

/** A message of magic 0 or 1. */
export function old(
  magic: 0 | 1,
  offset: number,
  [key, value]: Pair,
  more: { attributes?: number } = {},
): Buffer {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text))
  return message({
    magic,
    offset: BigInt(offset),
    timestamp: BigInt(START_MS + offset),
    key: bytes(key),
    value: bytes(value),
    ...more,
  })
}
