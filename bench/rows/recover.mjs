/** Recovery of one segment of 256 MiB. */
const ROW = {
  family: 'recover',
  group: 'hot paths',
  unit: 'MB/s',
  better: 'more',
  functions: { ours: 'scanSegment, with both indexes written', theirs: 'LogSegment.recover' },
  contenders: ['native', 'portable', 'kafka'],
  options: { warmUpMs: 3000 },
  quickOptions: { warmUpMs: 1500 },
  smokeOptions: { warmUpMs: 0 },
  quick: true,
}

export const rows = [
  {
    ...ROW,
    id: 'recover-300',
    title: 'recover a segment, 300 B batches',
    data: ['log-300'],
    goal: { ratio: 40, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'recover-4k',
    title: 'recover a segment, 4 KB batches',
    data: ['log-4k'],
    goal: { ratio: 6, against: 'kafka' },
  },
]
