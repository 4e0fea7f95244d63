/** Messages of magic 0 and 1, made by hand. */
import { crc32 } from 'node:zlib'

export interface MessageParts {
  readonly offset?: bigint
  readonly magic?: number
  readonly attributes?: number
  readonly timestamp?: bigint
  readonly key?: Uint8Array | null
  readonly value?: Uint8Array | null
}

/** One whole entry. */
export function message(parts: MessageParts): Buffer {
  const magic = parts.magic ?? 1
  const body = Buffer.concat([
    Buffer.from([magic, parts.attributes ?? 0]),
    magic === 0 ? Buffer.alloc(0) : int64(parts.timestamp ?? 1000n),
    sized(parts.key ?? null),
    sized(parts.value ?? null),
  ])
  return Buffer.concat([int64(parts.offset ?? 0n), int32(body.length + 4), int32(crc32(body)), body])
}

export function int32(n: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(n | 0)
  return bytes
}

export function int64(n: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(n)
  return bytes
}

function sized(bytes: Uint8Array | null): Buffer {
  return bytes === null ? int32(-1) : Buffer.concat([int32(bytes.length), bytes])
}
