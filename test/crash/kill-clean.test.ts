/** A process that appends to a compacted log and has it cleaned, killed at random moments; judged by what it had said on a pipe before. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { seededEntropy } from '../support/machine.js'
import { runs } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { CleanRecord, type KeyedRecord } from './support/clean-record.js'

/** Of each backend. */
const KILLS = 16
/** From the beginning of its first cleaning on, or from its end. */
const LONGEST_LOAD_MS = 1_000

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const PROCESS = join(import.meta.dirname, 'support/clean-load-process.mjs')
const backend = process.env.PARTITION_LOG_BACKEND as 'native' | 'portable'

it('a process killed while it cleans loses nothing but what a later record replaced', async () => {
  console.log(`SEED=${SEED}`)
  const { below } = seededEntropy(SEED)
  const path = join(tempDir(), 'orders-0')
  const record = new CleanRecord()
  let unfinished = 0
  for (let run = 1; run <= runs(KILLS); run++) {
    await killed(path, run, below(LONGEST_LOAD_MS), record)
    if (readdirSync(path).some((name) => /\.(cleaned|swap)$/.test(name))) unfinished++
    // Not after each: the next process recovers what this one left.
    if (below(3) > 0) expect(await judged(path, record), `run ${run}`).toEqual([])
  }
  expect(await judged(path, record)).toEqual([])
  console.log(
    `${backend}: ${runs(KILLS)} kills, ${unfinished} of them amid a cleaning; ${record.appends} appends, ${record.cleanings} cleanings ended`,
  )
  expect(record.cleanings).toBeGreaterThan(0)
})

async function killed(path: string, run: number, afterMs: number, record: CleanRecord): Promise<void> {
  const child = spawn(process.execPath, [PROCESS, path, backend, String(run)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += String(text)
  })
  const ended = once(child, 'close')
  let isArmed = false
  for await (const line of createInterface({ input: child.stdout })) {
    record.told(run, line)
    if (isArmed || (run % 2 === 0 ? line !== 'b' : !line.startsWith('c '))) continue
    isArmed = true
    setTimeout(() => child.kill('SIGKILL'), afterMs)
  }
  const [, signal] = (await ended) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`run ${run} ended by itself: ${complaint}`)
}

async function judged(path: string, record: CleanRecord): Promise<string[]> {
  const log = await openLog(path, { backend })
  try {
    const found: KeyedRecord[] = []
    for await (const { offset, key, value } of log.read())
      found.push({ offset: Number(offset), key: String(key), value: String(value) })
    const end = Number(log.offsets.logEndOffset)
    const wrong = record.judge(found, end)
    record.adopt(found, end)
    return wrong
  } finally {
    await log.close()
  }
}
