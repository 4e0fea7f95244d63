/** Records of a 16 KB batch in memory: encoded, and read. */
import { LOOP } from '../lib/loops.mjs'

const ROW = {
  family: 'records',
  group: 'hot paths',
  unit: 'ns',
  better: 'less',
  contenders: ['native', 'portable', 'kafka'],
  ...LOOP,
  options: { ...LOOP.options, records: 150 },
  quick: true,
}
const ITERATED = 'DefaultRecordBatch.iterator of MemoryRecords'

export const rows = [
  {
    ...ROW,
    id: 'encode',
    title: 'encode a record, checksum included',
    functions: { ours: 'encodeBatch', theirs: 'MemoryRecordsBuilder' },
    goal: { ratio: 2.5, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'iterate-cursor',
    title: 'iterate records, cursor',
    functions: { ours: 'batch.cursor', theirs: ITERATED },
    goal: { ratio: 1.5, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'iterate-lazy',
    title: 'iterate records, lazy, nothing touched',
    functions: { ours: 'batch.records', theirs: ITERATED },
    goal: { ratio: 0.8, against: 'kafka' },
  },
  {
    ...ROW,
    id: 'iterate-eager',
    title: 'iterate records, every field read',
    functions: { ours: 'batch.records', theirs: ITERATED },
    quick: false,
    goal: null,
  },
]
