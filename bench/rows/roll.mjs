/** What a roll costs the append that causes it. */
export const rows = [
  {
    id: 'roll',
    family: 'roll',
    group: 'hot paths',
    title: 'the append that rolls',
    unit: 'ns',
    better: 'less',
    functions: { ours: 'log.append that rolls', theirs: 'UnifiedLog.appendAsLeader that rolls' },
    contenders: ['native', 'portable', 'kafka'],
    options: { records: 150, rolls: 300, warmUps: 1 },
    quickOptions: { rolls: 100, warmUps: 1 },
    smokeOptions: { rolls: 3, warmUps: 0 },
    quick: true,
    goal: [
      { ratio: 20, against: 'kafka', of: 'p50' },
      { ratio: 20, against: 'kafka', of: 'p99' },
    ],
  },
]
