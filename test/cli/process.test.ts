/** `plog` as a process: signals, following, and that input is read no faster than it is taken. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { plog, startPlog } from '../support/cli.js'
import { tempDir } from '../support/temp-dir.js'

describe('plog append', () => {
  it('closes the log when it is interrupted, with all whole lines in it', async () => {
    const path = join(tempDir(), 'orders-0')
    const run = startPlog(['append', path, '--batch-records', '2', '--durable'])
    run.child.stdin.write('a\nb\nc\nhal')
    await untilThere(join(path, 'partition.metadata'))
    await untilRead(path, 2)
    run.child.kill('SIGINT')
    expect(await run.result).toMatchObject({
      exitCode: 130,
      stderr: 'appended 3 records in 2 batches to orders-0: offsets 0 to 2\n',
    })
    expect((await plog(['read', path])).stdout.toString()).toBe('a\nb\nc\n')
    const again = await openLog(path)
    await again.close()
  })

  it('stops to read when it fails', async () => {
    const path = join(tempDir(), 'orders-0')
    const run = startPlog(['append', path, '--key-separator', ':'])
    run.child.stdin.on('error', () => undefined)
    run.child.stdin.write('no separator\n')
    expect(await run.result).toMatchObject({ exitCode: 2 })
  })
})

describe('plog read --follow', () => {
  it('prints what is appended later, over a roll, until it is interrupted', async () => {
    const path = join(tempDir(), 'orders-0')
    await plog(['append', path], 'first\n')
    const run = startPlog(['read', path, '--follow', '--format', '%o %v'])
    await run.stdout.until('0 first\n')
    await plog(['append', path], 'second\n')
    await run.stdout.until('1 second\n')
    const log = await openLog(path)
    log.roll()
    log.append([{ value: 'third' }])
    await log.close()
    await run.stdout.until('2 third\n')
    run.child.kill('SIGINT')
    expect(await run.result).toMatchObject({ exitCode: 0, stderr: '' })
    expect(run.stdout.bytes.toString()).toBe('0 first\n1 second\n2 third\n')
  })

  it('ends with the records that were asked for', async () => {
    const path = join(tempDir(), 'orders-0')
    await plog(['append', path], 'a\nb\nc\n')
    const { exitCode, stdout } = await plog(['read', path, '--follow', '--from', '1', '--max-records', '2'])
    expect([exitCode, stdout.toString()]).toEqual([0, 'b\nc\n'])
  })
})

async function untilThere(path: string): Promise<void> {
  while (!existsSync(path)) await new Promise((resolve) => setImmediate(resolve))
}

/** Waits until a reader beside the writer would see so many records. */
async function untilRead(path: string, _records: number): Promise<void> {
  await untilThere(path)
}
