/** The JSON forms of the golden files that several tests compare with; see test/golden/README.md. */
import { createHash } from 'node:crypto'

export interface GoldenRecord {
  readonly offset: string
  readonly timestamp: string
  readonly sequence: number
  readonly key: unknown
  readonly value: unknown
  readonly headers: readonly { readonly key: string; readonly value: unknown }[]
}

export interface GoldenBatch {
  readonly position: number
  readonly sizeInBytes: number
  readonly magic: number
  readonly baseOffset: string
  readonly lastOffset: string
  readonly codec: string
  readonly timestampType: string
  readonly maxTimestamp: string
  readonly crc: number
  readonly records: readonly GoldenRecord[]
}

/** Bytes as the golden files have them: base64, above 1,024 bytes a hash and the length. */
export function bytesForm(bytes: Uint8Array | null): unknown {
  if (bytes === null) return null
  if (bytes.length <= 1024) return Buffer.from(bytes).toString('base64')
  return { sha256: createHash('sha256').update(bytes).digest('hex'), length: bytes.length }
}
