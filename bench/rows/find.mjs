/** Look-ups in a sealed segment of 1 GiB, and in an offset index of 10 MiB. */
import { LOOP } from '../lib/loops.mjs'

const ROW = {
  family: 'find',
  group: 'hot paths',
  unit: 'ns',
  better: 'less',
  contenders: ['native', 'portable', 'kafka'],
  quick: true,
  ...LOOP,
}
const TRANSLATE = { ...ROW, functions: { ours: 'Segment.translate', theirs: 'LogSegment.translateOffset' } }
const FIND_TIME = {
  ...ROW,
  functions: { ours: 'log.offsetForTimestamp', theirs: 'UnifiedLog.fetchOffsetByTimestamp' },
  goal: { ratio: 5, against: 'kafka' },
}
const INDEX = {
  ...ROW,
  functions: { ours: 'OffsetIndexFile.lookup', theirs: 'OffsetIndex.lookup' },
  data: ['offset-index'],
}

export const rows = [
  {
    ...TRANSLATE,
    id: 'translate-300',
    title: 'offset to position, sealed segment, 300 B batches',
    data: ['sealed-300'],
    goal: { ratio: 6, against: 'kafka' },
  },
  { ...FIND_TIME, id: 'find-time-300', title: 'find by timestamp, 300 B batches', data: ['sealed-300'] },
  {
    ...TRANSLATE,
    id: 'translate-4k',
    title: 'offset to position, sealed segment, 4 KB batches',
    data: ['sealed-4k'],
    goal: { ratio: 1.5, against: 'kafka' },
  },
  { ...FIND_TIME, id: 'find-time-4k', title: 'find by timestamp, 4 KB batches', data: ['sealed-4k'] },
  {
    ...INDEX,
    id: 'index-random',
    title: 'offset index look-up, all entries',
    goal: { ratio: 2, against: 'kafka' },
  },
  {
    ...INDEX,
    id: 'index-warm',
    title: 'offset index look-up, last 8 KB',
    goal: { ratio: 1.5, against: 'kafka' },
  },
]
