/** The map of keys that a cleaning fills: 5 million keys of 16 bytes fill 89 % of a broker's default size. */
const ROW = {
  family: 'key-map',
  group: 'hot paths',
  ...{ unit: 'ns', better: 'less' },
  contenders: ['native', 'portable', 'kafka'],
  quick: true,
  options: { keys: 5_000_000, mapBytes: 134_217_728, warmUpKeys: [500_000, 500_000] },
  quickOptions: { keys: 1_000_000, mapBytes: 26_843_545 },
  smokeOptions: { keys: 5_000, mapBytes: 134_217, warmUpKeys: [100] },
}

export const rows = [
  {
    ...ROW,
    id: 'key-map-put',
    title: 'fill the map with 16-byte keys to a load of 0.9, a key',
    functions: { ours: 'OffsetMap.put', theirs: 'SkimpyOffsetMap.put' },
    goal: { ratio: 4, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'key-map-get',
    title: 'look all keys up in another order, a key',
    functions: { ours: 'OffsetMap.markSuperseded', theirs: 'SkimpyOffsetMap.get' },
    goal: { ratio: 5, against: 'kafka' },
  },
]
