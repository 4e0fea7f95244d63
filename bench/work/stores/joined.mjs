/** A record as one value, for stores whose keys are offsets: the key's bytes, of which there are always as many, then the value's. */
const KEY_BYTES = 16

export function joined({ key, value }) {
  const bytes = Buffer.allocUnsafe(key.length + value.length)
  bytes.set(key, 0)
  bytes.set(value, key.length)
  return bytes
}

export function joinedValue(bytes) {
  return bytes.subarray(KEY_BYTES)
}
