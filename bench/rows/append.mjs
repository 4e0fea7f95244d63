/** Appends one by one, into the page cache. */
const ROW = {
  family: 'append',
  group: 'hot paths',
  unit: 'ns',
  better: 'less',
  functions: { ours: 'log.append, encoding included', theirs: 'UnifiedLog.appendAsLeader of ready batches' },
  contenders: ['native', 'portable', 'floor', 'kafka'],
  quick: true,
}
const BATCHES = {
  ...ROW,
  functions: {
    ours: 'log.appendBatches of ready bytes',
    theirs: 'UnifiedLog.appendAsLeader of ready batches',
  },
  quick: false,
  goal: null,
}

export const rows = [
  {
    ...ROW,
    id: 'append-1x100',
    title: 'append 1 x 100 B',
    ...sized({ records: 1, valueBytes: 100, operations: 200_000 }),
    goal: { ratio: 1, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'append-100x100',
    title: 'append 100 x 100 B',
    ...sized({ records: 100, valueBytes: 100, operations: 20_000 }),
    goal: { ratio: 1.2, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'append-16k',
    title: 'append 16 KB, 150 x 100 B',
    ...sized({ records: 150, valueBytes: 100, operations: 15_000 }),
    goal: { ratio: 1.3, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'append-1x16k',
    title: 'append 16 KB, one record',
    ...sized({ records: 1, valueBytes: 16_384, operations: 15_000 }),
    quick: false,
    goal: null,
  },
  {
    ...BATCHES,
    id: 'append-batches-1x100',
    title: 'append ready bytes of 1 x 100 B',
    ...sized({ records: 1, valueBytes: 100, operations: 200_000 }),
  },
  {
    ...BATCHES,
    id: 'append-batches-16k',
    title: 'append ready bytes of 16 KB, 150 x 100 B',
    ...sized({ records: 150, valueBytes: 100, operations: 15_000 }),
  },
]

/** `operations` a round: at most some 300 MB, which the kernel can keep to itself. */
function sized(options) {
  const { operations } = options
  return {
    options: { ...options, warmUps: 3 },
    quickOptions: { operations: operations / 4, warmUps: 3 },
    smokeOptions: { operations: operations / 500, warmUps: 1 },
  }
}
