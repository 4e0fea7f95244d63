/**
 * A record with what a dump shows beside what a reader gets: its sizes as they
 * are stored, its sequence, and the checksum of a message of magic 0 or 1.
 */

export interface OpenedRecord {
  readonly offset: bigint
  readonly timestamp: bigint
  /** As stored: below 0 for null, and in a damaged message of magic 0 or 1 more than there is. */
  readonly keySize: number
  readonly valueSize: number
  /** A view. Throws `ERR_INVALID_BATCH` where there is not as much as its size says. */
  readonly key: Buffer | null
  readonly value: Buffer | null
  readonly headers: readonly OpenedHeader[]
  /** -1 without a producer, and for magic 0 and 1. */
  readonly sequence: number
  /** Of a message of magic 0 or 1. */
  readonly checksum: { readonly crc: number; readonly isValid: boolean } | null
}

export interface OpenedHeader {
  readonly key: string
  readonly value: Buffer | null
}
