/**
 * What all contenders are asked to do, in a form that can be printed as JSON
 * and repeated: integers of 64 bits are decimal text, bytes base64. Kafka's
 * driver takes it as it is.
 *
 * A new operation has its form here, is made at random in `script.ts` and
 * resolved in `resolve.ts`, is carried out in `our-contender.ts`, where Kafka's
 * answer needs a hand in `kafka-contender.ts`, and is counted in `outcomes.ts`
 * and `must-occur.ts`.
 */
import type { CodecName } from '../../../lib/format/compression.js'

export interface RecordSpec {
  /** Null: the clock's. */
  readonly timestamp: string | null
  readonly key: string | null
  readonly value: string | null
  readonly headers: readonly { readonly key: string; readonly value: string | null }[]
}

export interface ProducerSpec {
  readonly id: string
  readonly epoch: number
  readonly baseSequence: number
  readonly transactional: boolean
}

export type Operation =
  /** Records, of which each contender builds a batch itself. `leaderEpoch` null: the log's latest. */
  | {
      readonly op: 'append'
      readonly records: readonly RecordSpec[]
      readonly codec: CodecName
      readonly leaderEpoch: number | null
      readonly producer?: ProducerSpec
    }
  /** The end of a transaction, as its coordinator has it written. */
  | {
      readonly op: 'marker'
      readonly producerId: string
      readonly producerEpoch: number
      readonly commit: boolean
      readonly coordinatorEpoch: number
      readonly leaderEpoch: number
      readonly transactionVersion: number
    }
  /** The bytes of a produce request. */
  | { readonly op: 'leader'; readonly bytes: string; readonly leaderEpoch: number }
  /** The bytes that a follower fetched, and the epoch that it knows. */
  | { readonly op: 'follower'; readonly bytes: string; readonly leaderEpoch: number }
  | { readonly op: 'advance'; readonly ms: string }
  | { readonly op: 'roll' }
  /** `force`: an empty active segment too. */
  | { readonly op: 'flush'; readonly force: boolean }
  | { readonly op: 'highWatermark'; readonly offset: string }
  | { readonly op: 'deleteBefore'; readonly offset: string }
  | { readonly op: 'truncate'; readonly offset: string }
  | {
      readonly op: 'fetch'
      readonly offset: string
      readonly maxBytes: number
      readonly minOneBatch: boolean
      readonly isolation?: 'committed'
    }
  /** All records from an offset on, by as many fetches as it takes. */
  | { readonly op: 'read'; readonly offset: string; readonly isolation?: 'committed' }
  | { readonly op: 'locate'; readonly offset: string }
  | { readonly op: 'time'; readonly timestamp: string }
  | { readonly op: 'maxTime' }
  | { readonly op: 'epochEnd'; readonly epoch: number }
  /** Names of the log's files, those that wait for their deletion too. */
  | { readonly op: 'files' }
  /** One check of retention, now. Answered, as `advance` is, with the names of the log's files. */
  | { readonly op: 'retain' }
  /** What a cleaner does until it would rest: every round, each with the retention behind it. Answered with the rounds. */
  | { readonly op: 'clean' }
  /** The log's settings, all of them; those of the script that only a broker has stay as they were. */
  | { readonly op: 'configure'; readonly settings: Settings }
  /**
   * After `ms` the process is killed; then the log's last segment, `baseOffset`, is damaged as given, and the log is
   * opened again. Ours may cut below its recovery point, as Kafka does.
   */
  | {
      readonly op: 'crash'
      readonly ms: string
      readonly baseOffset: string
      readonly damage: TailDamage | null
    }
  /** A clean close, and an open. */
  | { readonly op: 'reopen' }

/** `cut`: bytes that are left. `flip`: a byte that becomes another. `zeros`: that many behind what counts. `copy`: the first bytes of the file, again at the end. */
export interface TailDamage {
  readonly kind: 'cut' | 'flip' | 'zeros' | 'copy'
  /** Bytes that count. */
  readonly sizeInBytes: number
  readonly bytes: number
}

/** Settings under Kafka's dotted names. */
export type Settings = Readonly<Record<string, string>>

/**
 * `exact`: every byte must be equal; what is compressed is compressed once,
 * for all. `decoded`: each compresses itself, and what it opens to must be equal.
 */
export type Comparison = 'exact' | 'decoded'

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

export function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64')
}
