/** Opening after a clean close: a directory of many logs, and one log of many sealed segments. */
const MANY = {
  family: 'open',
  group: 'growth',
  ...{ unit: 'ms', better: 'less', goal: null },
  functions: { ours: 'openLogManager', theirs: 'LogManager.startup' },
  contenders: ['native', 'portable', 'kafka'],
  options: { warmUps: 5, threads: 2 },
  smokeOptions: { warmUps: 1 },
}

const many = (logs) => ({
  ...MANY,
  id: `open-many-${logs}`,
  title: `open ${logs} logs of 10 segments`,
  ...{ data: ['open-many-warm', `open-many-${logs}`], quick: logs === 500 },
  series: {
    id: 'open-many',
    title: 'Opening a directory of many logs',
    ...{ x: logs, xTitle: 'logs of 10 segments', expected: 'linear' },
  },
})

export const rows = [
  ...[500, 1_000, 1_900].map(many),
  {
    ...MANY,
    id: 'open-10000-segments',
    group: 'hot paths',
    title: 'open a log of 10,000 sealed segments',
    readme: 'open a log of 10,000 segments',
    functions: { ours: 'openLog', theirs: 'LogManager.startup' },
    goal: { ratio: 5, against: 'kafka' },
    ...{ data: ['open-many-warm', 'open-10000-segments'], quick: true },
  },
]
