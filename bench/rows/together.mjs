/** Many callers at once, who wait for their appends. */
const CALLERS = 64
const ROW = {
  family: 'together',
  group: 'hot paths',
  unit: 'records/s',
  better: 'more',
  contenders: ['native', 'portable', 'kafka'],
  quick: true,
}

export const rows = [
  {
    ...ROW,
    id: 'appender-64',
    title: 'appender, 64 senders of 100 B',
    functions: { ours: 'appender.send', theirs: 'UnifiedLog.appendAsLeader, one by one' },
    ...sized(300_000),
    goal: { ratio: 4, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'durable-64',
    title: 'durable appends of 100 B, 64 callers',
    functions: {
      ours: 'log.append and durable()',
      theirs: 'UnifiedLog.appendAsLeader by 64 threads, flush.messages=1',
    },
    ...sized(40_000),
    goal: { ratio: 10, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'appender-64-durable',
    title: 'durable appender, 64 senders of 100 B',
    functions: {
      ours: 'appender.send, durable',
      theirs: 'UnifiedLog.appendAsLeader by 64 threads, flush.messages=1',
    },
    ...sized(40_000),
    quick: false,
    goal: null,
  },
]

/** A round ends with its last operation or with its time, whatever is first. */
function sized(operations) {
  return {
    options: { callers: CALLERS, operations, roundMs: 3000, warmUps: 2 },
    quickOptions: { operations: operations / 4, roundMs: 1000 },
    smokeOptions: { operations: operations / 100, roundMs: 100, warmUps: 0 },
  }
}
