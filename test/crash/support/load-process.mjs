/**
 * A process to be killed: opens a log and loads it with durable appends, rolls,
 * retention, deletions and truncations until it is ended. Each line on its
 * output says what it was told: written at once, so that a kill loses none.
 *
 *   opening             before the log is opened
 *   open START END      it is open
 *   a BASE LAST SERIAL  an append has returned; its first record has this serial number
 *   d LAST              an append is durable
 *   m START             records below START may be deleted from now on
 *   s START             they are
 *   u OFFSET            the log may be cut at OFFSET from now on
 *   t OFFSET            it is
 */
import { writeSync } from 'node:fs'
import { openLog } from '../../../dist/index.js'
import { LOAD_CONFIG, loadValue } from './load-value.mjs'

const [, , path = '', backend = '', runText = '0'] = process.argv
const run = Number(runText)

let random = (run * 2_654_435_761 + 12_345) >>> 0
const below = (limit) => {
  random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
  return Math.floor((random / 2 ** 32) * limit)
}
const say = (...words) => writeSync(1, `${words.join(' ')}\n`)

say('opening')
const log = await openLog(path, { backend, config: LOAD_CONFIG })
say('open', log.offsets.logStartOffset, log.offsets.logEndOffset)

let serial = 0
const waiting = new Set()

function append() {
  const first = serial
  const records = Array.from({ length: 1 + below(5) }, () => ({ value: loadValue(run, serial++) }))
  const { baseOffset, lastOffset, durable } = log.append(records)
  say('a', baseOffset, lastOffset, first)
  const told = durable().then(() => say('d', lastOffset))
  waiting.add(told)
  void told.finally(() => waiting.delete(told))
}

async function retain() {
  say('m', log.offsets.logEndOffset)
  const { logStartOffset } = await log.runRetention()
  say('s', logStartOffset)
}

async function deleteSome() {
  const { logStartOffset, logEndOffset } = log.offsets
  const to = logStartOffset + BigInt(below(Number(logEndOffset - logStartOffset) / 8 + 1))
  say('m', to)
  await log.deleteRecordsBefore(to)
  say('s', log.offsets.logStartOffset)
}

async function truncate() {
  await Promise.all(waiting)
  const { logStartOffset, logEndOffset } = log.offsets
  const from = logEndOffset - BigInt(below(Math.min(40, Number(logEndOffset - logStartOffset) + 1)))
  const to = log.locate(from).batch?.baseOffset ?? from
  if (to < logStartOffset || to >= logEndOffset) return
  say('u', to)
  await log.truncateTo(to)
  say('t', to)
}

for (;;) {
  for (let n = below(12); n >= 0; n--) append()
  const what = below(100)
  if (what < 5) log.roll()
  else if (what < 10) await retain()
  else if (what < 14) await deleteSome()
  else if (what < 17) await truncate()
  else if (what < 30) await log.flush()
  while (waiting.size > 16) await Promise.race(waiting)
  await new Promise((resolve) => setImmediate(resolve))
}
