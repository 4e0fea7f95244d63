/**
 * What a user of a log does, with records of a 16-byte key: this package as
 * its documentation says, bare `node:fs` with a length and a CRC-32 a record,
 * and the stores that Node developers use, each as its own documentation says.
 * Except in the durable rows nobody waits for the disk.
 */
const STORES = ['better-sqlite3-normal', 'lmdb', 'classic-level', 'hypercore']
const DURABLE_STORES = ['better-sqlite3-full', 'lmdb', 'classic-level']
const OURS = ['native', 'portable', 'floor']

const ROW = {
  family: 'user',
  group: 'as a user sees it',
  ...{ unit: 'records/s', better: 'more', quick: true },
  contenders: [...OURS, ...STORES],
}

const goals = (ratio) => [
  { ratio, against: 'floor' },
  { ratio: 1, against: 'stores' },
]

const APPEND = {
  ...ROW,
  options: { records: 200_000, ms: 2_000, warmUp: { records: 20_000, ms: 500 } },
  quickOptions: { records: 100_000, ms: 500 },
  smokeOptions: { records: 1_000, ms: 50, warmUp: { records: 500, ms: 10 } },
}

const DURABLE = {
  ...ROW,
  contenders: [...OURS, ...DURABLE_STORES],
  options: { callers: 64, ms: 2_000, warmUpMs: 500 },
  quickOptions: { ms: 500, warmUpMs: 200 },
  smokeOptions: { callers: 4, ms: 20, warmUpMs: 10 },
}

const SCAN = {
  ...ROW,
  options: { records: 500_000, warmUps: 3 },
  quickOptions: { records: 100_000, warmUps: 2 },
  smokeOptions: { records: 2_000, warmUps: 1 },
}

const RANDOM = {
  ...ROW,
  options: { records: 500_000, reads: 100_000, ms: 2_000 },
  quickOptions: { records: 100_000, reads: 50_000, ms: 500 },
  smokeOptions: { records: 1_000, reads: 200, ms: 20 },
}

const rowsOf = (bytes) => [
  {
    ...APPEND,
    id: `user-append-one-${bytes}`,
    title: `append records of 16 + ${bytes} B one by one`,
    functions: { ours: 'PartitionLog.append', theirs: 'fs.writeSync' },
    goal: goals(1.3),
  },
  {
    ...APPEND,
    id: `user-append-one-${bytes}-appender`,
    title: `the same, sent 100 in a turn`,
    functions: { ours: 'Appender.send', theirs: 'fs.writeSync' },
    goal: goals(1.3),
  },
  {
    ...APPEND,
    id: `user-append-100-${bytes}`,
    title: `append records of 16 + ${bytes} B, 100 in a call`,
    functions: { ours: 'PartitionLog.append', theirs: 'fs.writeSync' },
    goal: goals(0.9),
  },
  {
    ...DURABLE,
    id: `user-durable-64-${bytes}`,
    title: `64 callers, each appends 16 + ${bytes} B and waits for the disk`,
    functions: { ours: 'Appender.send', theirs: 'fs.writeSync, fs.fdatasync' },
    goal: goals(0.9),
  },
  {
    ...DURABLE,
    id: `user-durable-64-${bytes}-append`,
    title: 'the same, each by an append of its own',
    functions: { ours: 'AppendResult.durable', theirs: 'fs.writeSync, fs.fdatasync' },
    contenders: OURS,
    goal: null,
  },
  {
    ...SCAN,
    id: `user-scan-${bytes}`,
    title: `read records of 16 + ${bytes} B in order, checksums checked, batch by batch`,
    functions: { ours: 'LogRead.batches, Batch.records', theirs: 'fs.readSync' },
    goal: goals(0.9),
  },
  {
    ...SCAN,
    id: `user-scan-${bytes}-each`,
    title: 'the same, record by record',
    functions: { ours: 'PartitionLog.read', theirs: 'fs.readSync' },
    contenders: OURS,
    goal: { ratio: 0.9, against: 'floor' },
  },
  {
    ...RANDOM,
    id: `user-random-${bytes}`,
    title: `read single records of 16 + ${bytes} B at random offsets`,
    functions: { ours: 'PartitionLog.fetchSync, recordBatches', theirs: 'fs.readSync' },
    goal: goals(0.9),
  },
]

export const rows = [100, 1_024].flatMap(rowsOf)
