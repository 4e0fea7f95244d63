/**
 * Finding things in one sealed segment of 1 GiB: the batch of an offset, the
 * record of a time, an entry of the offset index. The log is a copy that was
 * opened for writing, as a service has it.
 */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadBackend } from '../../dist/backend/load.js'
import { PartitionLog } from '../../dist/log/partition-log.js'
import { numbersBetween } from '../data/numbers.mjs'
import { TIMESTAMP } from '../data/shapes.mjs'
import { FIRST_SEGMENT, openCopy } from './homes.mjs'
import { asyncLoop, loop } from './loop.mjs'

export const work = {
  'translate-300': (context) => translating(context, 'sealed-300'),
  'translate-4k': (context) => translating(context, 'sealed-4k'),
  'find-time-300': (context) => findingTime(context, 'sealed-300'),
  'find-time-4k': (context) => findingTime(context, 'sealed-4k'),
  'index-random': (context) => searching(context, 0),
  'index-warm': (context) => searching(context, WARM_ENTRIES),
}

/** Fewer than the 8 KB that Kafka and the engine look at first. */
const WARM_ENTRIES = 1000

/** The segment's own call, as LogSegment.translateOffset is: which segment it is was found before. */
async function translating(context, set) {
  const log = await openCopy(context, context.data[set])
  const [segment] = PartitionLog.coreOf(log).state.segments
  const offsets = numbersBetween(0, sealedEnd(log))
  const { batch } = segment.translate(offsets(1))
  if (batch === null || batch.lastOffset < offsets(1)) throw new Error('the offset was not found')
  return loop(
    context.options,
    (n) => segment.translate(offsets(n)),
    () => log.close(),
  )
}

async function findingTime(context, set) {
  const log = await openCopy(context, context.data[set])
  const offsets = numbersBetween(0, sealedEnd(log))
  const find = (n) => log.offsetForTimestamp(TIMESTAMP + offsets(n))
  const found = await find(1)
  if (found?.offset !== BigInt(offsets(1))) throw new Error('the time was not found')
  return asyncLoop(context.options, find, () => log.close())
}

/** First offset behind the sealed segment. */
function sealedEnd(log) {
  return Number(log.segmentSizes[1].baseOffset)
}

/** Entries at random of the last `among`; 0: of all. */
function searching({ backend: name, directory, data, options }, among) {
  const { backend } = loadBackend(name)
  // For writing, as a log's owner opens it: only then is it mapped.
  const path = join(directory, `${FIRST_SEGMENT}.index`)
  copyFileSync(data['offset-index'], path)
  const index = backend.openIndexFile(path, { kind: 'offset', mode: 'write', capacityBytes: 0 })
  const first = among === 0 ? 0 : index.entries - among
  const { relativeOffset: from } = index.entry(first)
  const { relativeOffset: to } = index.entry(index.entries - 1)
  const targets = numbersBetween(from, to)
  return loop(
    options,
    (n) => index.lookup(targets(n)),
    () => index.close(),
  )
}
