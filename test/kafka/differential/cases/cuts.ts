/** Truncation, deletion of records, closing and opening. */
import {
  advance,
  append,
  at,
  batchesOfThree,
  fetch,
  files,
  flush,
  leader,
  looks,
  maxTime,
  record,
  reopen,
  roll,
  time,
  times,
  toFollower,
  wire,
} from './moves.js'
import { exact, type NamedCase } from './named-case.js'

/** Offsets 0 to 29 in batches of three, in several segments, with a leader epoch for each ten offsets or so. */
const THIRTY = batchesOfThree(10)
const after = [
  append([record({ time: 500 })]),
  append([record({ time: 501 })], { epochsOn: 1 }),
  reopen,
  append([record()]),
]

const truncations = [29, 28, 27, 13, 12, 3, 1, 0].map((offset) =>
  exact(`truncated to ${offset} of 30, and gone on from there`, [
    ...THIRTY,
    at('truncate', offset),
    at('read', 0),
    time(15),
    maxTime,
    ...after,
  ]),
)

export const cuts: readonly NamedCase[] = [
  ...truncations,
  exact('truncated step by step, with a look at each', [
    ...THIRTY,
    ...[30, 31, 29, 26, 25, 24, 20, 9, 4, 2].flatMap((offset) => [
      at('truncate', offset),
      time(100),
      maxTime,
      fetch(0),
    ]),
    reopen,
    ...looks(0, 3),
  ]),
  exact('opened behind the records of an epoch that were cut away', [
    append([record()]),
    append([record(), record(), record()], { epochsOn: 1 }),
    at('truncate', 2),
    reopen,
    append([record()]),
  ]),
  exact('opened behind the records of an epoch that are all deleted', [
    append([record()]),
    at('deleteBefore', -1),
    reopen,
    append([record()]),
  ]),
  exact('truncated below the log start', [
    ...THIRTY,
    at('deleteBefore', 15),
    at('truncate', 12),
    ...looks(10, 13),
    ...after,
  ]),
  exact(
    'the times of what is left, after a truncation',
    [
      ...[5, 90, 7, 8, 60, 61].map((ahead) => append([record({ time: ahead, valueBytes: 200 })])),
      at('truncate', 5),
      append([record({ time: 62 })]),
      at('truncate', 1),
      append([record({ time: 6 })]),
      append([record({ time: 7 })]),
      roll,
      time(6),
      reopen,
      time(5),
    ],
    { 'index.interval.bytes': '0' },
  ),
  exact(
    'of equal times the first counts, after a truncation too',
    [
      ...[5, 5, 5, 9].map((ahead) => append([record({ time: ahead })])),
      at('truncate', 3),
      roll,
      ...[5, 5].map((ahead) => append([record({ time: ahead })])),
      reopen,
      append([record({ time: 5 })]),
      roll,
    ],
    { 'index.interval.bytes': '4096' },
  ),
  exact('records deleted: to each offset, to the high watermark, beyond it', [
    ...THIRTY,
    ...[0, 1, 3, 2, 14, 15].flatMap((offset) => [at('deleteBefore', offset), fetch(offset), fetch(0)]),
    at('deleteBefore', 31),
    at('deleteBefore', -1),
    at('deleteBefore', 30),
    append([record()]),
    reopen,
    ...looks(29, 32),
  ]),
  exact('an epoch that begins where the log does takes the place of the one before', [
    append([record()], { epochsOn: 1 }),
    at('deleteBefore', -1),
    append([record()], { epochsOn: 1 }),
    reopen,
  ]),
  exact('opened again, and again', [
    reopen,
    reopen,
    append([record()]),
    reopen,
    flush,
    reopen,
    append([record()]),
  ]),
  exact(
    'opened again with preallocated files',
    [
      append([record()]),
      reopen,
      append([record()]),
      ...times(4, append([record({ valueBytes: 200 })])),
      reopen,
      at('truncate', 2),
      append([record()]),
      roll,
    ],
    { preallocate: 'true' },
  ),
  exact(
    'deleted files wait for their time, or for the next start',
    [
      ...THIRTY,
      at('truncate', 5),
      files,
      advance(999),
      files,
      leader([record()]),
      advance(1),
      files,
      ...times(9, append([record({ valueBytes: 200 })])),
      at('truncate', 8),
      files,
      reopen,
      files,
      toFollower([wire(8)]),
    ],
    { 'file.delete.delay.ms': '1000' },
  ),
]
