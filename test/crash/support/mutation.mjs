/**
 * Damages bytes in one of many ways, the same for the same number.
 */

/** Numbers from 0 up to a limit, the same for the same seed (mulberry32). */
export function randomOf(seed) {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
}

/**
 * `step` counts the mutants of one file: cuts go through its lengths one by
 * one where it is short, in leaps where it is long.
 *
 * @returns {{how: string, bytes: Buffer, from: number, to: number}} damaged from byte `from` up to `to`
 */
export function mutated(bytes, step, below) {
  const size = bytes.length
  if (size === 0) return grown(bytes, below)
  switch (step % 8) {
    case 0:
    case 1:
    case 2:
      return cut(bytes, Math.floor(step / 8) * 3 + (step % 8))
    case 3:
    case 4:
      return flipped(bytes, below)
    case 5:
      return zeroed(bytes, below)
    case 6:
      return doubled(bytes, below)
    default:
      return below(2) === 0 ? overwritten(bytes, below) : grown(bytes, below)
  }
}

function cut(bytes, nth) {
  const size = bytes.length
  // A step that shares no factor with most sizes comes by every length in the end.
  const length = size <= 256 ? nth % size : (nth * 7919) % size
  return { how: `cut to ${length}`, bytes: bytes.subarray(0, length), from: length, to: size }
}

function flipped(bytes, below) {
  const copy = Buffer.from(bytes)
  let [from, to] = [bytes.length, 0]
  for (let n = below(3); n >= 0; n--) {
    const at = below(bytes.length)
    copy[at] ^= 1 << below(8)
    from = Math.min(from, at)
    to = Math.max(to, at + 1)
  }
  return { how: `bits flipped in ${from}..${to}`, bytes: copy, from, to }
}

function rangeIn(bytes, below) {
  const from = below(bytes.length)
  const to = Math.min(bytes.length, from + 1 + below(below(2) === 0 ? 16 : 1024))
  return [from, to]
}

function zeroed(bytes, below) {
  const [from, to] = rangeIn(bytes, below)
  return { how: `zeroed ${from}..${to}`, bytes: Buffer.from(bytes).fill(0, from, to), from, to }
}

function doubled(bytes, below) {
  const [from, to] = rangeIn(bytes, below)
  const parts = [bytes.subarray(0, to), bytes.subarray(from)]
  return { how: `${from}..${to} twice`, bytes: Buffer.concat(parts), from: to, to: bytes.length + to - from }
}

function overwritten(bytes, below) {
  const [from, to] = rangeIn(bytes, below)
  const copy = Buffer.from(bytes)
  for (let at = from; at < to; at++) copy[at] = below(256)
  return { how: `garbage in ${from}..${to}`, bytes: copy, from, to }
}

function grown(bytes, below) {
  const tail = Buffer.alloc(1 + below(600), below(2) === 0 ? 0 : below(256))
  return {
    how: `${tail.length} bytes more`,
    bytes: Buffer.concat([bytes, tail]),
    from: bytes.length,
    to: bytes.length + tail.length,
  }
}
