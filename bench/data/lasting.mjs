/** Settings under which retention looks at sizes and at times, and takes nothing away. */
export const LASTING = { retentionMs: 100 * 365 * 86_400_000, retentionBytes: 2 ** 50 }
