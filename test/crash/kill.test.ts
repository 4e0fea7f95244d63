/**
 * A process under a load of durable appends, rolls, retention, deletions and
 * truncations, killed at random moments, while it recovers too; judged by
 * what it had said on a pipe before.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { seededEntropy } from '../support/machine.js'
import { runs } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'
import { foundIn } from './support/found.js'
import { LoadRecord } from './support/load-record.js'
import { LOAD_CONFIG } from './support/load-value.mjs'

/** Of each backend. */
const KILLS = 75
const LONGEST_LOAD_MS = 250
const LONGEST_OPENING_MS = 25

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const PROCESS = join(import.meta.dirname, 'support/load-process.mjs')
const backend = process.env.PARTITION_LOG_BACKEND as 'native' | 'portable'

it('known faults 53 and 196: a process killed at random loses nothing that was acknowledged', async () => {
  console.log(`SEED=${SEED}`)
  const { below } = seededEntropy(SEED)
  const path = join(tempDir(), 'orders-0')
  const record = new LoadRecord()
  const counts = { kills: 0, inRecovery: 0, judged: 0 }
  for (let run = 1; run <= runs(KILLS); run++) {
    const inRecovery = below(4) === 0
    const wasOpen = await killed(
      path,
      run,
      inRecovery ? below(LONGEST_OPENING_MS) : below(LONGEST_LOAD_MS),
      inRecovery,
      record,
    )
    counts.kills++
    if (!wasOpen) counts.inRecovery++
    // Not after each: a directory that was killed has to be recovered by the next process too, which may be killed in it.
    if (wasOpen || below(2) === 0) {
      counts.judged++
      expect(await judged(path, record), `run ${run}`).toEqual([])
    }
  }
  const { appends, durable, deletions, truncations } = record
  console.log(
    `${backend}: ${counts.kills} kills, ${counts.inRecovery} of them while opening, judged ${counts.judged} times; ` +
      `${appends} appends and ${durable} durable ones acknowledged, ${deletions} deletions, ${truncations} truncations`,
  )
  expect(record.durable).toBeGreaterThan(runs(KILLS))
})

/** True where the log was open before the kill. */
async function killed(
  path: string,
  run: number,
  afterMs: number,
  inRecovery: boolean,
  record: LoadRecord,
): Promise<boolean> {
  const child = spawn(process.execPath, [PROCESS, path, backend, String(run)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let complaint = ''
  child.stderr.on('data', (text) => {
    complaint += String(text)
  })
  const ended = once(child, 'close')
  let wasOpen = false
  for await (const line of createInterface({ input: child.stdout })) {
    record.told(run, line)
    if (line.startsWith('open ')) wasOpen = true
    if (line.startsWith(inRecovery ? 'opening' : 'open ')) setTimeout(() => child.kill('SIGKILL'), afterMs)
  }
  const [, signal] = (await ended) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`run ${run} ended by itself: ${complaint}`)
  return wasOpen
}

async function judged(path: string, record: LoadRecord): Promise<string[]> {
  const log = await openLog(path, { backend, config: LOAD_CONFIG })
  try {
    const found = await foundIn(log)
    const wrong = record.judge(found)
    record.adopt(found)
    return wrong
  } finally {
    await log.close()
  }
}
