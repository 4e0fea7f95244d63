/**
 * The order in which a broker writes its producers into a snapshot: that of
 * Java's HashMap, by hash, and where hashes meet by age. Snapshots are compared
 * byte for byte, so ours have it too. (Java turns a bucket of more than eight
 * into a tree; with that the order could differ, and its meaning not.)
 */

const LEAST_CAPACITY = 16
const LOAD_FACTOR = 0.75

/** Capacity of a map that had `capacity` and now holds `size` entries; a map never shrinks. */
export function grownCapacity(capacity: number, size: number): number {
  let grown = Math.max(capacity, LEAST_CAPACITY)
  while (size > grown * LOAD_FACTOR) grown *= 2
  return grown
}

/** `ids`, oldest first, as a map of `capacity` iterates over them. */
export function inHashOrder(ids: readonly bigint[], capacity: number): bigint[] {
  const bucketOf = (id: bigint) => hashOf(id) & (Math.max(capacity, LEAST_CAPACITY) - 1)
  return ids
    .map((id) => ({ id, bucket: bucketOf(id) }))
    .sort((a, b) => a.bucket - b.bucket)
    .map(({ id }) => id)
}

/**
 * The same of a map that was filled by computeIfAbsent, with these ids in this
 * order: that puts the newest first where hashes meet. A broker gathers the
 * producers of one append in such a map, and brings them into its state in the
 * order of that.
 */
export function inGatheredOrder(ids: readonly bigint[]): bigint[] {
  return ids.length < 2 ? [...ids] : inHashOrder([...ids].reverse(), grownCapacity(0, ids.length))
}

/** Long.hashCode, spread as HashMap does. */
function hashOf(id: bigint): number {
  const hash = Number(BigInt.asIntN(32, id)) ^ Number(BigInt.asIntN(32, id >> 32n))
  return hash ^ (hash >>> 16)
}
