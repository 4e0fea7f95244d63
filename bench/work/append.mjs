/**
 * One append after the other into the page cache. `append` takes records and
 * encodes them; Kafka gets ready batches, as its clients send them, and so
 * does `appendBatches`. The floor writes as many bytes by `writeSync`.
 */
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { encodeBatch } from '../../dist/index.js'
import { TIMESTAMP } from '../data/shapes.mjs'
import { appendRounds, measure } from './rounds.mjs'

export const work = {
  'append-1x100': append,
  'append-100x100': append,
  'append-16k': append,
  'append-1x16k': append,
  'append-batches-1x100': appendBatches,
  'append-batches-16k': appendBatches,
}

function append(context) {
  const records = recordsOf(context.options)
  if (context.contender === 'floor') return writeBytes(context, encodeBatch(records))
  return appendRounds(context, {}, (log) => () => log.append(records))
}

function appendBatches(context) {
  const bytes = encodeBatch(recordsOf(context.options))
  if (context.contender === 'floor') return writeBytes(context, bytes)
  const options = { origin: 'leader', leaderEpoch: 0 }
  return appendRounds(context, {}, (log) => () => log.appendBatches(bytes, options))
}

function writeBytes(context, bytes) {
  const home = join(context.directory, 'new')
  const round = () => {
    mkdirSync(home)
    const file = openSync(join(home, 'floor.log'), 'w')
    const sample = measure(context, () => writeSync(file, bytes))
    closeSync(file)
    rmSync(home, { recursive: true })
    return sample
  }
  for (let n = 0; n < context.options.warmUps; n++) round()
  return { round, close: () => {} }
}

/** The same objects at each append: what a caller makes of them is no part of this. */
function recordsOf({ records, valueBytes }) {
  const value = Buffer.alloc(valueBytes, 'v')
  return Array.from({ length: records }, () => ({ key: null, value, timestamp: TIMESTAMP }))
}
