/**
 * A process to be killed: appends to a compacted log, rolls it and has it
 * cleaned on the cleaner's own thread until it is ended. Each line on its output
 * says what it was told, at once:
 *
 *   opening             before the log is opened
 *   open END            it is open
 *   a BASE LAST SERIAL  an append has returned; its first record has this serial number
 *   b                   a cleaning begins
 *   c END               a cleaning up to this offset has ended
 */
import { writeSync } from 'node:fs'
import { openLog } from '../../../dist/index.js'
import { loadKey, loadValue } from './load-value.mjs'

const [, , path = '', backend = '', runText = '0'] = process.argv
const run = Number(runText)
const CONFIG = {
  cleanupPolicy: ['compact'],
  internalSegmentBytes: 16_384,
  indexIntervalBytes: 512,
  segmentIndexBytes: 4_096,
  fileDeleteDelayMs: 20,
}
const MANAGER = { cleanerEnable: false, cleanerDedupeBufferSize: 2 << 20 }

const say = (...words) => writeSync(1, `${words.join(' ')}\n`)
const turn = () => new Promise((resolve) => setImmediate(resolve))

say('opening')
const log = await openLog(path, { backend, config: CONFIG, manager: MANAGER })
say('open', log.offsets.logEndOffset)

let serial = 0
let isCleaning = false

function append() {
  const first = serial
  const count = 1 + (serial % 4)
  const records = Array.from({ length: count }, () => ({
    key: loadKey(run, serial),
    value: loadValue(run, serial++),
  }))
  const { baseOffset, lastOffset } = log.append(records)
  say('a', baseOffset, lastOffset, first)
}

async function clean() {
  isCleaning = true
  log.roll()
  say('b')
  const report = await log.clean()
  if (report !== null) say('c', report.endOffset)
  isCleaning = false
}

for (;;) {
  for (let n = 0; n < 6; n++) append()
  if (!isCleaning && serial > 60) void clean()
  // The cleaner's thread gets its time.
  if (isCleaning || serial % 16 === 0) await log.flush()
  await turn()
}
