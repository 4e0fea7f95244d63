/** `plog` as a process: signals, following, and that input is read no faster than it is taken. */
import { spawn } from 'node:child_process'
import { closeSync, cpSync, existsSync, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openLog } from '../../lib/index.js'
import { plog, plogBin, startPlog } from '../support/cli.js'
import { testLog } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

describe('plog append', () => {
  it('closes the log when it is interrupted, with all whole lines in it', async () => {
    const path = join(tempDir(), 'orders-0')
    const run = startPlog(['append', path, '--batch-records', '2', '--durable'])
    run.child.stdin.write('a\nb\nc\nhal')
    // Once the first batch is written, the rest of what came with it has been read too.
    await untilGrown(join(path, '00000000000000000000.log'))
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

describe('a log that was not closed cleanly', () => {
  it('is read, looked up and listed all the same, and left as it is', async () => {
    const path = join(tempDir(), 'orders-0')
    const log = await testLog({ path })
    for (let i = 0; i < 100; i++) log.append([{ value: `v${i}`.repeat(30), timestamp: i }])
    const left = join(tempDir(), 'orders-0')
    cpSync(path, left, { recursive: true })
    for (const place of [path, left]) {
      const before = readdirSync(join(place, '..')).sort()
      expect((await plog(['read', place])).stdout.toString().match(/\n/g)).toHaveLength(100)
      expect((await plog(['lookup', place, '99'])).exitCode).toBe(0)
      expect((await plog(['ls', place])).stdout.toString()).toMatch(/active\n$/)
      expect((await plog(['offsets', place])).stdout.toString()).toBe('orders:0:100\n')
      const index = join(place, '00000000000000000000.index')
      expect(await plog(['dump', index, '--verify-index-only'])).toMatchObject({ exitCode: 0, stderr: '' })
      expect(readdirSync(join(place, '..')).sort()).toEqual(before)
    }
  })
})

describe('stdout', () => {
  it.runIf(existsSync('/dev/full'))('that takes no more is an I/O error', async () => {
    const path = join(tempDir(), 'orders-0')
    await plog(['append', path], 'a\n')
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [plogBin, 'read', path, '--json'], {
      stdio: ['ignore', full, 'pipe'],
    })
    closeSync(full)
    let stderr = ''
    for await (const text of child.stderr as Readable) stderr += text
    expect(child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve)))).toBe(3)
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'ERR_IO', syscall: 'write', errno: 'ENOSPC' } })
  })
})

describe('plog read --follow', () => {
  it('prints what a writer appends beside it, over a roll, until it is interrupted', async () => {
    const path = join(tempDir(), 'orders-0')
    const log = await testLog({ path })
    log.append([{ value: 'first' }])
    const run = startPlog(['read', path, '--follow', '--format', '%o %v'])
    await run.stdout.until('0 first\n')
    log.append([{ value: 'second' }])
    await run.stdout.until('1 second\n')
    log.roll()
    log.append([{ value: 'third' }])
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

async function untilGrown(path: string): Promise<void> {
  while (!existsSync(path) || statSync(path).size === 0) await new Promise((resolve) => setImmediate(resolve))
}
