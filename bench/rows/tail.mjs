/** Reading by offset among the last 64 MB of an active segment. */
import { LOOP } from '../lib/loops.mjs'

const MIB = 2 ** 20
const ROW = {
  family: 'tail',
  group: 'hot paths',
  unit: 'ns',
  better: 'less',
  quick: true,
  options: { ...LOOP.options, logBytes: 96 * MIB, tailBytes: 64e6 },
  quickOptions: LOOP.quickOptions,
  smokeOptions: { ...LOOP.smokeOptions, logBytes: 2 * MIB, tailBytes: 1e6 },
}
const LOCATE = {
  ...ROW,
  functions: { ours: 'log.locate', theirs: 'LogSegment.translateOffset' },
  contenders: ['native', 'portable', 'kafka'],
  goal: { ratio: 10, against: 'kafka' },
}
const READ = {
  ...ROW,
  functions: { ours: 'log.fetchSync, 4 KB', theirs: 'LogSegment.read, 4 KB, and FileRecords.readInto' },
  contenders: ['native', 'portable', 'floor', 'kafka'],
  goal: { ratio: 2, against: 'kafka' },
}

export const rows = [
  { ...LOCATE, id: 'tail-locate-300', title: 'offset to position, at the tail, 300 B batches' },
  { ...LOCATE, id: 'tail-locate-4k', title: 'offset to position, at the tail, 4 KB batches' },
  { ...READ, id: 'tail-read-300', title: '4 KB copied out, at the tail, 300 B batches' },
  { ...READ, id: 'tail-read-4k', title: '4 KB copied out, at the tail, 4 KB batches' },
]
