/**
 * A service that appends 20,000 records of 116 B a second, each by a call of
 * its own, and reads them as they come, for so long. Beside it the log of this
 * package rolls about each second and is flushed ten times a second, another
 * log is recovered again and again, and a third is cleaned. Stores only append
 * and read. `idle` is the process without any of it.
 */
const STORES = ['better-sqlite3-normal', 'lmdb', 'classic-level', 'hypercore']

const ROW = {
  family: 'service',
  group: 'event loop',
  ...{ better: 'less', quick: true, data: ['clean-loop', 'service-crashed'] },
  options: { perSecond: 20_000, ms: 5_000, warmUpMs: 1_000, cleanings: 4, settle: true },
  quickOptions: { ms: 2_000, cleanings: 8 },
  smokeOptions: { perSecond: 2_000, ms: 100, warmUpMs: 20, cleanings: 1, settle: false },
}

export const rows = [
  {
    ...ROW,
    id: 'service-late',
    title: 'p99 lateness of a 1 ms timer in the service',
    unit: 'ms',
    functions: {
      ours: 'PartitionLog.append, PartitionLog.read, PartitionLog.clean, openLog',
      theirs: 'none',
    },
    goal: [
      { limit: 2, less: 'idle' },
      { limit: 10, of: 'extra.p999', less: 'idle' },
    ],
    contenders: ['native', 'portable', 'idle', ...STORES],
  },
  {
    ...ROW,
    id: 'service-append',
    title: 'p99.9 of its single appends',
    unit: 'µs',
    functions: { ours: 'PartitionLog.append', theirs: 'an append of the store' },
    goal: null,
    contenders: ['native', 'portable', ...STORES],
  },
  {
    ...ROW,
    id: 'service-append-flushing',
    title: 'p99.9 of its single appends while that very file is being flushed',
    unit: 'µs',
    functions: { ours: 'PartitionLog.append, PartitionLog.flush', theirs: 'none' },
    goal: null,
    contenders: ['native', 'portable'],
  },
]
