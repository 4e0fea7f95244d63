import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { recordBatches } from '../../lib/format/batches.js'
import { encodeBatch } from '../../lib/format/encode-batch.js'
import { collect, numbered, testLog } from '../support/log.js'
import { tempDir } from '../support/temp-dir.js'

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

function run(script: string): { status: number | null; stdout: string } {
  const { status, stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  return { status, stdout }
}

describe('the event loop', () => {
  test('gets its turns while cached bytes are read', async () => {
    const log = await testLog()
    const value = 'v'.repeat(10_000)
    for (let n = 0; n < 3_000; n++) log.append([{ value }])
    let turns = 0
    let reading = true
    const count = () => {
      turns++
      if (reading) setImmediate(count)
    }
    setImmediate(count)
    let records = 0
    for await (const record of log.read()) records += record.offset >= 0n ? 1 : 0
    reading = false
    expect(records).toBe(3_000)
    expect(turns).toBeGreaterThan(2)
  })

  test('a waiting follower keeps the process alive, and ends with its signal', () => {
    const path = join(tempDir(), 'orders-0')
    const { status, stdout } = run(`
      import { openLog } from ${JSON.stringify(library)}
      const log = await openLog(${JSON.stringify(path)})
      log.append([{ value: 'a' }])
      try {
        for await (const { value } of log.read({ follow: true, signal: AbortSignal.timeout(300) })) console.log(String(value))
      } catch (error) {
        console.log(error.name)
      } finally {
        await log.close()
        console.log('closed')
      }`)
    expect({ status, lines: stdout.trim().split('\n') }).toEqual({
      status: 0,
      lines: ['a', 'TimeoutError', 'closed'],
    })
  })

  test('a follower that was aborted no longer does', () => {
    const path = join(tempDir(), 'orders-0')
    const { status, stdout } = run(`
      import { openLog } from ${JSON.stringify(library)}
      const log = await openLog(${JSON.stringify(path)})
      const abort = new AbortController()
      setTimeout(() => abort.abort(), 50)
      try {
        for await (const record of log.read({ follow: true, signal: abort.signal })) console.log(record)
      } catch (error) {
        console.log(error.name)
      }`)
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'AbortError\n' })
  })

  test('known fault 205: an open log that nobody waits for does not', () => {
    const path = join(tempDir(), 'orders-0')
    const script = `import { openLog } from ${JSON.stringify(library)}; await openLog(${JSON.stringify(path)}); console.log('open')`
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })).toBe(
      'open\n',
    )
  })
})

describe('what is misunderstood easily', () => {
  test('a record can be printed, spread and copied', async () => {
    const log = await testLog()
    log.append([{ key: 'k', value: 'v', timestamp: 5 }])
    const [record] = await collect(log.read())
    expect({ ...record, value: String(record?.value) }).toMatchObject({
      key: Buffer.from('k'),
      value: 'v',
      offset: 0n,
    })
    expect(inspect(record)).toMatch(/key: <Buffer 6b>/)
  })

  test('options that nobody knows are refused', async () => {
    const log = await testLog()
    const calls = [
      () => log.appender({ durabel: true } as never),
      () => log.read({ fromm: 1 } as never),
      () => log.append(numbered(1), { compresion: 'gzip' } as never),
      () => log.append(numbered(1), null as never),
      () => log.append(numbered(1), { producer: null } as never),
      () => log.fetchSync(0, null as never),
      () => log.read({ signal: 5 } as never),
      () => encodeBatch(numbered(1), null as never),
      () => [...recordBatches(Buffer.alloc(0), null as never)],
    ]
    for (const call of calls)
      expect(call).toThrowError(expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }))
  })

  test('a follower that never pauses between two looks, and a `pollMs` that is no number', async () => {
    const log = await testLog()
    expect(() => log.read({ follow: true, pollMs: 0 })).toThrowError(RangeError)
    expect(() => log.read({ follow: true, pollMs: '9' as never })).toThrowError(TypeError)
  })

  test('what could not be read back is not taken', async () => {
    const log = await testLog({ config: { compressionType: 'gzip' }, maxDecompressedBytes: 1_000 })
    expect(() => log.append([{ value: 'v'.repeat(2_000) }])).toThrowError(
      expect.objectContaining({ code: 'ERR_BATCH_TOO_LARGE' }),
    )
    log.append([{ value: 'v'.repeat(500) }])
    expect(await collect(log.read())).toHaveLength(1)
  })

  test('offsets end where int64 does', async () => {
    const log = await testLog()
    log.appendBatches(encodeBatch(numbered(1), { baseOffset: 2n ** 63n - 3n }), { origin: 'follower' })
    expect(log.append(numbered(1)).lastOffset).toBe(2n ** 63n - 2n)
    expect(() => log.append(numbered(1))).toThrowError(expect.objectContaining({ code: 'ERR_INVALID_BATCH' }))
    await log.close()
    const again = await testLog({ path: log.path })
    expect(again.offsets.logEndOffset).toBe(2n ** 63n - 1n)
  })
})
