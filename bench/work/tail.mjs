/**
 * Reading at the end of an active segment that the same process has written:
 * at random among the last 64 MB, by offset. The floor knows the position of
 * each batch and makes one `readSync`.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { openLog } from '../../dist/index.js'
import { numbersBetween } from '../data/numbers.mjs'
import { BatchSource, SHAPES } from '../data/shapes.mjs'
import { FIRST_SEGMENT, LOG } from './homes.mjs'
import { loop } from './loop.mjs'

const READ = { maxBytes: 4096 }

export const work = {
  'tail-locate-300': (context) => locating(context, SHAPES[300]),
  'tail-locate-4k': (context) => locating(context, SHAPES['4k']),
  'tail-read-300': (context) => reading(context, SHAPES[300]),
  'tail-read-4k': (context) => reading(context, SHAPES['4k']),
}

async function locating(context, shape) {
  const { log, offsets } = await written(context, shape)
  if (log.locate(offsets(1)).batch.lastOffset < offsets(1)) throw new Error('the offset was not found')
  return loop(
    context.options,
    (n) => log.locate(offsets(n)),
    () => log.close(),
  )
}

async function reading(context, shape) {
  const { log, offsets } = await written(context, shape)
  if (context.contender === 'floor') return bareReading(context, shape, { log, offsets })
  const read = (n) => log.fetchSync(offsets(n), READ)
  if (read(1).batches.length === 0) throw new Error('nothing was read')
  return loop(context.options, read, () => log.close())
}

async function bareReading({ directory, options }, shape, { log, offsets }) {
  await log.close()
  const file = openSync(join(directory, LOG, `${FIRST_SEGMENT}.log`), 'r')
  const read = (n) => {
    const bytes = Buffer.allocUnsafe(READ.maxBytes)
    readSync(file, bytes, 0, READ.maxBytes, Math.floor(offsets(n) / shape.records) * shape.batchBytes)
    return bytes
  }
  return loop(options, read, () => closeSync(file))
}

/** A log whose last `tailBytes` are to be read, and the offsets at random among them. */
async function written({ backend, directory, options }, shape) {
  const log = await openLog(join(directory, LOG), { backend, standalone: true, config: { retentionMs: -1 } })
  const source = new BatchSource(shape)
  const batches = Math.floor(options.logBytes / shape.batchBytes)
  for (let n = 0; n < batches; n++) log.append(source.next())
  const tail = Math.floor(options.tailBytes / shape.batchBytes)
  return { log, offsets: numbersBetween((batches - tail) * shape.records, (batches - 2) * shape.records) }
}
