/** What things cost as what they work on grows: a row a size, a plot of them together; and memory. */
const ROW = {
  family: 'growth',
  group: 'growth',
  ...{ better: 'less', goal: null, quick: true },
  contenders: ['native', 'portable'],
}

const lookUp = (mib) => ({
  ...ROW,
  id: `look-up-${mib}mib`,
  title: `look a random offset up in a sealed segment of ${mib} MiB`,
  unit: 'ns',
  functions: { ours: 'PartitionLog.locate', theirs: 'none' },
  ...{ data: [`segment-${mib}mib`], quick: mib <= 64 },
  options: { lookUps: 200_000 },
  quickOptions: { lookUps: 50_000 },
  smokeOptions: { lookUps: 500 },
  series: {
    id: 'look-up',
    title: 'Looking an offset up, against the size of the segment',
    ...{ x: mib, xTitle: 'segment of 300 B batches, MiB' },
    expected: 'the logarithm of the size, as the index is searched; then caches that no longer hold it',
  },
})

const open = (segments) => ({
  ...ROW,
  id: `open-segments-${segments}`,
  title: `open a log of ${segments} segments`,
  unit: 'ms',
  functions: { ours: 'openLog', theirs: 'none' },
  ...{ data: ['segments-10', `segments-${segments}`], quick: segments <= 10_000 },
  options: { warmUps: 5 },
  smokeOptions: { warmUps: 1 },
  series: {
    id: 'open-segments',
    title: 'Opening a log after a clean close, against its segments',
    ...{ x: segments, xTitle: 'segments' },
    expected: 'linear: the directory is listed and each file is asked for its size; no segment is opened',
  },
})

const clean = (fill) => ({
  ...ROW,
  id: `clean-fill-${fill}`,
  title: `clean ${fill} times as many dirty keys as the map holds`,
  unit: 's',
  functions: { ours: 'PartitionLog.clean', theirs: 'none' },
  data: [`map-fill-${fill}`],
  options: { mapBytes: 'full', settle: true },
  quickOptions: { mapBytes: 'short' },
  smokeOptions: { mapBytes: 'smoke', settle: false },
  series: {
    id: 'clean-fill',
    title: 'Cleaning all that is dirty, against what the map holds',
    ...{ x: fill, xTitle: 'dirty keys, in what the map holds' },
    expected:
      'linear up to 1; beyond it with the square, as each further cleaning copies what is clean again',
  },
})

const retain = (logs) => ({
  ...ROW,
  id: `retention-${logs}`,
  title: `check ${logs} logs for what retention may take; nothing`,
  unit: 'ms',
  functions: { ours: 'LogManager.runRetention', theirs: 'none' },
  ...{ data: [`logs-${logs}`], quick: logs <= 1_000 },
  options: { checks: 5 },
  quickOptions: { checks: 3 },
  smokeOptions: { checks: 1 },
  series: {
    id: 'retention',
    title: 'One retention check, against the logs',
    ...{ x: logs, xTitle: 'logs of two segments', expected: 'linear' },
  },
})

const memory = (id, title, data) => ({
  ...ROW,
  ...{ id, title, data: [data], unit: 'KiB', fresh: true },
  functions: { ours: 'openLogManager, openLog', theirs: 'none' },
})

export const rows = [
  ...[1, 8, 64, 256, 1_024].map(lookUp),
  ...[10, 100, 1_000, 10_000, 100_000].map(open),
  ...[0.25, 0.5, 1, 2, 4].map(clean),
  ...[10, 100, 1_000, 10_000].map(retain),
  memory('memory-log-open', 'memory of a log whose active segment is open, of 100', 'logs-100'),
  {
    ...memory('memory-log', 'memory of a log of 10,000, at most 500 of which have open files', 'logs-10000'),
    quick: false,
  },
  memory('memory-segment', 'memory of a segment whose files are not open, of 10,000', 'segments-10000'),
  memory('memory-segment-open', 'what opening its files adds, of 400', 'segments-10000'),
]
