/**
 * `npm run demo`: stock prices and 200,000 flights of vega-datasets through
 * two logs, from append to reopen, with every answer compared with the source.
 *
 * Ends with exit code 1 where an answer differs, 2 for wrong usage. What it
 * wrote is removed again unless `--keep` or `--dir` is given.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { backend, openLog, version } from '../dist/index.js'
import { Checks } from './demo/checks.mjs'
import { say, seconds } from './demo/print.mjs'
import { readFlights, readStocks } from './demo/sources.mjs'
import { checkReopened, fill, lookUp, readSome, showSegments } from './demo/steps.mjs'
import { Failure, main } from './lib/run.mjs'

const USAGE = `usage: npm run demo -- [--dir DIRECTORY] [--keep]
  --dir DIRECTORY  write there (a directory without these logs) and leave the logs in place
  --keep           leave the temporary directory in place
PARTITION_LOG_BACKEND=native|portable chooses the backend.`

/** Segments of 1 MiB; nothing rolls or expires by time, for the data is decades old. */
const CONFIG = { segmentBytes: 1 << 20, segmentMs: Number.POSITIVE_INFINITY, retentionMs: -1 }

await main(async () => {
  const options = readOptions()
  if (options.help) say(USAGE)
  else await inDirectory(options)
})

async function inDirectory(options) {
  const directory =
    options.dir === undefined ? mkdtempSync(join(tmpdir(), 'partition-log-demo-')) : resolve(options.dir)
  const isOurs = options.dir === undefined && !options.keep
  try {
    await run(directory)
  } finally {
    if (isOurs) rmSync(directory, { recursive: true, force: true })
    else say(`the logs are in ${directory}`)
  }
}

function readOptions() {
  const known = { dir: { type: 'string' }, keep: { type: 'boolean' }, help: { type: 'boolean' } }
  try {
    return parseArgs({ options: known }).values
  } catch (error) {
    throw new Failure(`${error.message}\n${USAGE}`, 2)
  }
}

async function run(directory) {
  const startedMs = performance.now()
  say(`partition-log ${version}, Node ${process.version}`)
  say(`backend: ${backend.name} (${backend.reason})`)
  say(`directory: ${directory}`)
  const checks = new Checks()
  const sources = [readStocks(), readFlights()]
  for (const source of sources) await write(directory, source, checks)
  say('\nclosed; opening both logs again')
  for (const source of sources) {
    const log = await openLog(join(directory, source.name), { create: false })
    await checkReopened(log, source, checks)
    await log.close()
  }
  say(`\n${checks.summary()}, in ${seconds(performance.now() - startedMs)}`)
  if (checks.failed > 0) process.exitCode = 1
}

/** From an empty log to a closed one. */
async function write(directory, source, checks) {
  const log = await openLog(join(directory, source.name), { config: CONFIG })
  try {
    if (log.offsets.logEndOffset > 0n)
      throw new Failure(`${log.path} holds records already: give the demo a directory of its own`)
    await fill(log, source, checks)
    showSegments(log)
    await lookUp(log, source, checks)
    await readSome(log, source, checks)
  } finally {
    await log.close()
  }
}
