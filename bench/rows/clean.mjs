/** Cleanings of a compacted log, from its start to its active segment, with a broker's default sizes. */
const FAMILY = {
  family: 'clean',
  group: 'hot paths',
  functions: { ours: 'PartitionLog.clean', theirs: 'Cleaner.clean' },
  contenders: ['native', 'portable', 'kafka'],
}

export const rows = [
  {
    ...FAMILY,
    id: 'clean-2gib-none',
    title: 'clean 2 GiB',
    readme: 'compact a log of 2 GiB',
    ...{ unit: 's', better: 'less', goal: { ratio: 3, against: 'kafka' } },
    ...{ data: ['clean-warm-none', 'clean-none'], quick: true },
    options: { codec: 'none', warmUps: 1, kafkaWarmUps: 4, settle: true },
    smokeOptions: { kafkaWarmUps: 1, settle: false },
  },
  {
    ...FAMILY,
    id: 'clean-2gib-zstd',
    title: 'clean 2 GiB of records in zstd',
    ...{ unit: 's', better: 'less', goal: { ratio: 1.5, against: 'kafka' } },
    ...{ data: ['clean-warm-zstd', 'clean-zstd'], quick: true },
    options: { codec: 'zstd', warmUps: 1, kafkaWarmUps: 4, settle: true },
    smokeOptions: { kafkaWarmUps: 1, settle: false },
  },
  {
    ...FAMILY,
    id: 'clean-memory',
    title: 'memory that a first cleaning of 2 GiB takes, with its map of keys',
    ...{ unit: 'MiB', better: 'less', goal: null, fresh: true },
    contenders: ['native', 'kafka'],
    ...{ data: ['clean-none'], quick: true },
    options: { codec: 'none', warmUps: 0, kafkaWarmUps: 0, settle: true },
    smokeOptions: { settle: false },
  },
]
