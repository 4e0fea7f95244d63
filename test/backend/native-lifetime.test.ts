/** Threads and ends of life: workers stopped in the middle of work, processes that just end. */
import { spawnSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { rawBatch } from '../support/batches.js'
import { nativeUnderTest } from '../support/native.js'
import { runs } from '../support/random.js'
import { closeSegment, createSegment } from '../support/segment-files.js'
import { tempDir } from '../support/temp-dir.js'

const native = nativeUnderTest()
const loadUrl = pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'dist/backend/load.js')).href

/** A log of about 32 MB, for work that takes a while. */
async function bigLog(): Promise<string> {
  const { backend } = native ?? expect.fail('no native backend')
  const { log, offsetIndex, timeIndex } = createSegment(backend, tempDir())
  const bytes = Buffer.alloc(1 << 20, rawBatch())
  bytes.writeInt32BE(bytes.length - 12, 8)
  for (let i = 0; i < 32; i++) {
    bytes.writeBigInt64BE(BigInt(i), 0)
    log.append({ bytes, length: bytes.length, seal: true }, offsetIndex, timeIndex)
  }
  await closeSegment({ log, offsetIndex, timeIndex })
  return log.path
}

/** A module that opens the log at `path` and a lane, and has `scan()` start a long scan. */
function program(path: string, code: string): string {
  return `
    import { loadBackend } from ${JSON.stringify(loadUrl)}
    const { backend } = loadBackend('native')
    const log = backend.openLogFile(${JSON.stringify(path)}, { mode: 'read', baseOffset: 0n })
    const lane = backend.openLane()
    const scan = () =>
      lane.scan(log, { fromPosition: 0, endPosition: log.sizeInBytes, maxBatches: 1e6, checkCrc: true })
    ${code}`
}

function run(code: string) {
  const args = ['--input-type=module', '--eval', code]
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    timeout: 20_000,
  })
  return { status, signal, stdout, stderr }
}

describe.skipIf(native === undefined)('native life time', () => {
  test('known faults 202 and 206: a worker that is stopped in the middle of scans takes its threads with it', async () => {
    const path = await bigLog()
    const code = program(
      path,
      `import { parentPort } from 'node:worker_threads'
       for (let i = 0; i < 50; i++) scan()
       for (let i = 0; i < 5; i++) backend.openLane().flushPath(${JSON.stringify(path)})
       parentPort.postMessage('busy')`,
    )
    const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
    for (let i = 0; i < runs(10); i++) {
      const worker = new Worker(url)
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
      expect(await worker.terminate()).toBe(1)
    }
  })

  test('known fault 202: a process in which a worker alone has loaded it goes on when that was stopped', async () => {
    const path = await bigLog()
    const code = program(
      path,
      `import { parentPort } from 'node:worker_threads'
       scan(); parentPort.postMessage('busy')`,
    )
    const outcome = run(`
      import { Worker } from 'node:worker_threads'
      for (let i = 0; i < 3; i++) {
        const worker = new Worker(new URL('data:text/javascript,${encodeURIComponent(code).replaceAll("'", '%27')}'))
        await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
        await worker.terminate()
      }
      console.log('goes on')`)
    expect(outcome).toMatchObject({ status: 0, signal: null, stdout: 'goes on\n', stderr: '' })
  })

  test('known fault 206: a worker that is stopped while its calls are being refused just ends', async () => {
    const path = await bigLog()
    const code = program(
      path,
      `import { parentPort } from 'node:worker_threads'
       parentPort.postMessage('busy')
       for (;;) {
         try { backend.crc32c(5) } catch {}
         try { backend.openLogFile('/not/there', { mode: 'read', baseOffset: 0n }) } catch {}
       }`,
    )
    const url = new URL(`data:text/javascript,${encodeURIComponent(code)}`)
    for (let i = 0; i < runs(5); i++) {
      const worker = new Worker(url)
      await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
      expect(await worker.terminate()).toBe(1)
    }
  })

  test('known fault 203: a worker that throws in the middle of scans ends with its own error', async () => {
    const path = await bigLog()
    const code = program(path, `scan(); scan(); throw new Error('mine')`)
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
    // The two can come in one turn.
    const exited = new Promise((resolve) => worker.once('exit', resolve))
    const error = await new Promise<Error>((resolve) => worker.once('error', resolve))
    expect(error.message).toBe('mine')
    await exited
  })

  test('known fault 205: an idle lane, and files left open, let the process end', () => {
    expect(run(`${program(import.meta.filename, '')}`)).toMatchObject({ status: 0, signal: null })
  })

  test('an operation that nobody awaits yet keeps the process alive', async () => {
    const path = await bigLog()
    const code = program(path, `scan().then(({ batches }) => console.log(batches.count))`)
    expect(run(code)).toMatchObject({ status: 0, stdout: '32\n' })
  })

  test('process.exit in the middle of scans ends at once and without a fault', async () => {
    const path = await bigLog()
    const code = program(path, `for (let i = 0; i < 500; i++) scan(); setImmediate(() => process.exit(7))`)
    expect(run(code)).toMatchObject({ status: 7, signal: null, stderr: '' })
  })

  test('an error in a callback of an operation is the process’s, as any other', async () => {
    const path = await bigLog()
    const { status, stderr } = run(program(path, `scan().then(() => { throw new Error('mine') })`))
    expect(status).toBe(1)
    expect(stderr).toContain('Error: mine')
  })
})
