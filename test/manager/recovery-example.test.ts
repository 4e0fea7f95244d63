/**
 * The article's example "kill -9 versus a clean shutdown", with a process that
 * really is killed: 12,000 records in segments of 1 MiB, the recovery point
 * checkpointed, SIGKILL; one segment is recovered, from 11490, and all records
 * are there. After a clean stop none is.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import type { LogManager } from '../../lib/manager/log-manager.js'
import { openLogManager } from '../../lib/manager/open-log-manager.js'
import { backendUnderTest } from '../support/backend.js'
import { startChild } from '../support/child.js'
import { plog } from '../support/cli.js'
import { collect } from '../support/log.js'
import { telling } from '../support/telling.js'
import { tempDir } from '../support/temp-dir.js'

const MARKER = '.kafka_cleanshutdown'
const REC = { topic: 'rec', partition: 0 }
const index = pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'dist/index.js')).href

/** Sends 12,000 records, ten a batch, and has the recovery point checkpointed once all but the last segment are on disk. */
const producer = (directory: string) => `
  const { openLogManager } = await import(${JSON.stringify(index)})
  const manager = await openLogManager({ logDirs: [${JSON.stringify(directory)}], backend: backend.name })
  const log = await manager.createLog({ topic: 'rec', partition: 0 }, { segmentBytes: 1048576 })
  const value = Buffer.alloc(250, 'v')
  for (let first = 0; first < 12000; first += 10) {
    const records = Array.from({ length: 10 }, (_, n) => ({ key: 'k-' + String(first + n).padStart(6, '0'), value }))
    log.append(records)
  }
  while (log.offsets.recoveryPoint < 11490n) await new Promise((done) => setImmediate(done))
  await manager.checkpoint()
  say('checkpointed')
  setInterval(() => {}, 1000)`

async function restarted(directory: string): Promise<{ lines: string[]; manager: LogManager }> {
  const { logger, lines } = telling()
  const manager = await openLogManager({ logDirs: [directory], logger, backend: backendUnderTest().name })
  return { lines: lines.map((line) => line.replace(/^\w+ /, '').replace(/ in \d+ms /, ' in N ms ')), manager }
}

it('Example 4: killed, one segment is recovered; stopped cleanly, none is', {
  timeout: 120_000,
}, async () => {
  const directory = tempDir()
  const path = join(directory, 'rec-0')
  const recoveryPoint = () =>
    readFileSync(join(directory, 'recovery-point-offset-checkpoint'), 'utf8').split('\n')[2]
  const completed = `Completed load of Log(dir=${path}, topic=rec, partition=0, highWatermark=12000, lastStableOffset=12000, logStartOffset=0, logEndOffset=12000) with 4 segments, local-log-start-offset 0 and log-end-offset 12000 in N ms (1/1 completed in ${directory})`
  const child = startChild(producer(directory))
  expect(await child.nextLine()).toBe('checkpointed')
  child.process.kill('SIGKILL')
  await child.exited
  expect(
    readdirSync(path)
      .filter((name) => name.endsWith('.log'))
      .sort(),
  ).toEqual([
    '00000000000000000000.log',
    '00000000000000003830.log',
    '00000000000000007660.log',
    '00000000000000011490.log',
  ])
  expect(existsSync(join(directory, MARKER))).toBe(false)
  expect(recoveryPoint()).toBe('rec 0 11490')

  const first = await restarted(directory)
  expect(first.lines).toEqual([
    `Recovering 1 logs from ${directory} since no clean shutdown file was found`,
    'Recovering unflushed segment 11490. 0 recovered for rec-0.',
    'Wrote producer snapshot at offset 12000 with 0 producer ids',
    completed,
  ])
  const log = first.manager.getLog(REC) ?? expect.fail()
  expect(log.recovery).toMatchObject({
    recoveryPoint: 11_490n,
    segmentsScanned: 1,
    bytesScanned: 139_281,
    cuts: [],
    scanned: [{ baseOffset: 11_490n, nextOffset: 12_000n }],
  })
  expect((await collect(log.read())).map(({ offset }) => offset)).toEqual(
    Array.from({ length: 12_000 }, (_, n) => BigInt(n)),
  )
  await first.manager.close()
  expect(existsSync(join(directory, MARKER))).toBe(true)
  expect(recoveryPoint()).toBe('rec 0 12000')

  const second = await restarted(directory)
  expect(second.lines).toEqual([
    `Skipping recovery of 1 logs from ${directory} since clean shutdown file was found`,
    completed,
  ])
  expect(second.manager.getLog(REC)?.recovery).toBeNull()
  await second.manager.close()
  expect((await plog(['offsets', path])).stdout.toString()).toBe('rec:0:12000\n')
})
