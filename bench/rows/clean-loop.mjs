/**
 * How late a timer of 1 ms is in a process that makes 2,000 appends a second
 * while it cleans: another log, or the one that it appends to. `idle` makes
 * the same appends and cleans nothing.
 */
const ROW = {
  family: 'clean-loop',
  group: 'event loop',
  ...{ unit: 'ms', better: 'less' },
  functions: { ours: 'PartitionLog.clean, PartitionLog.append', theirs: 'no cleaning' },
  goal: [
    { limit: 2, less: 'idle' },
    { limit: 10, of: 'extra.p999', less: 'idle' },
  ],
  contenders: ['native', 'idle'],
  ...{ data: ['clean-loop'], quick: true },
  options: { appends: 2_000, warmUpMs: 1_000, idleMs: 5_000, settle: true },
  quickOptions: { idleMs: 1_000 },
  smokeOptions: { warmUpMs: 10, idleMs: 50, settle: false },
}

export const rows = [
  { ...ROW, id: 'clean-loop-other', title: 'p99 lateness while another log of 1 GiB is cleaned' },
  {
    ...ROW,
    id: 'clean-loop-same',
    title: 'p99 lateness while the log of 1 GiB that is appended to is cleaned',
  },
]
