/** What a process under load writes: its log's settings, and the records. */

/** Whoever opens the log may be the first to do so, and makes it then. */
export const LOAD_CONFIG = {
  internalSegmentBytes: 16_384,
  indexIntervalBytes: 512,
  segmentIndexBytes: 4_096,
  retentionBytes: 200_000,
  fileDeleteDelayMs: 20,
}

/**
 * The value of the `serial`th record of a run, so that whoever reads it knows
 * what it has to be.
 *
 * @param {number} run
 * @param {number} serial
 * @returns {string}
 */
export function loadValue(run, serial) {
  const length = 20 + ((serial * 7919 + run * 104_729) % 380)
  return `${run}.${serial}.`.padEnd(length, 'abcdefghijklmnopqrstuvwxyz'.slice(serial % 26))
}

/**
 * The key of the `serial`th record of a run that compacts: few, and met again
 * after ever other distances.
 *
 * @param {number} run
 * @param {number} serial
 * @returns {string}
 */
export function loadKey(run, serial) {
  return `k${(serial * serial + run) % 41}`
}
