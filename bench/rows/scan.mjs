/** Batch headers of a segment of 256 MiB, without checksums. */
const ROW = {
  family: 'scan',
  group: 'hot paths',
  unit: 'ns',
  better: 'less',
  functions: { ours: 'Lane.scan', theirs: 'FileRecords.batches, offset and time of each' },
  contenders: ['native', 'portable', 'kafka'],
  options: { warmUpMs: 3000 },
  quickOptions: { warmUpMs: 1500 },
  smokeOptions: { warmUpMs: 0 },
  quick: true,
}

export const rows = [
  {
    ...ROW,
    id: 'scan-300',
    title: 'scan batch headers, 300 B batches',
    data: ['log-300'],
    goal: { ratio: 50, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'scan-4k',
    title: 'scan batch headers, 4 KB batches',
    data: ['log-4k'],
    goal: { ratio: 6, against: 'kafka' },
  },
]
