/** The records of an uncompressed batch of magic 2, read as the format says it and no faster. */

class Damage extends Error {}

class Reader {
  readonly bytes: Buffer
  at: number
  end: number

  constructor(bytes: Buffer, at: number, end: number) {
    this.bytes = bytes
    this.at = at
    this.end = end
  }

  varlong(mostBytes: number): bigint {
    let bits = 0n
    for (let n = 0; n < mostBytes; n++) {
      const byte = this.take(1)[0] as number
      bits |= BigInt(byte & 0x7f) << BigInt(7 * n)
      if (byte < 0x80) return BigInt.asIntN(64, (bits >> 1n) ^ -(bits & 1n))
    }
    throw new Damage()
  }

  varint(): number {
    return Number(BigInt.asIntN(32, this.varlong(5)))
  }

  take(length: number): Buffer {
    if (length < 0 || this.at + length > this.end) throw new Damage()
    this.at += length
    return this.bytes.subarray(this.at - length, this.at)
  }

  field(): Buffer | null {
    const length = this.varint()
    if (length < -1) throw new Damage()
    return length === -1 ? null : this.take(length)
  }
}

/** `'none'` where any of it is damaged. */
export function decodeRecords(batch: Buffer) {
  try {
    const [baseOffset, baseTimestamp] = [batch.readBigInt64BE(0), batch.readBigInt64BE(27)]
    const reader = new Reader(batch, 61, batch.length)
    const records = Array.from({ length: batch.readInt32BE(57) }, () => {
      const { timestampDelta, offsetDelta, ...rest } = decodeRecord(reader)
      const timestamp = BigInt.asIntN(64, baseTimestamp + timestampDelta)
      return { offset: baseOffset + BigInt(offsetDelta), timestamp, ...rest }
    })
    if (reader.at !== batch.length) throw new Damage()
    return records
  } catch (error) {
    if (error instanceof Damage) return 'none'
    throw error
  }
}

function decodeRecord(reader: Reader) {
  const length = reader.varint()
  const outer = reader.end
  const end = reader.at + length
  if (length < 0 || end > outer) throw new Damage()
  reader.end = end
  reader.take(1)
  const timestampDelta = reader.varlong(10)
  const offsetDelta = reader.varint()
  const [key, value] = [reader.field(), reader.field()]
  const headers = Array.from({ length: headerCount(reader) }, () => {
    const name = reader.field()
    if (name === null) throw new Damage()
    return { key: name.toString(), value: reader.field() }
  })
  if (reader.at !== end) throw new Damage()
  reader.end = outer
  return { timestampDelta, offsetDelta, key, value, headers }
}

function headerCount(reader: Reader): number {
  const count = reader.varint()
  if (count < 0 || count > reader.end - reader.at) throw new Damage()
  return count
}
