/**
 * That a backend's `flush` and `flushPath` ask the system for what the traces
 * take them to do: seen from outside, by strace, where the machine has it.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { tempDir } from '../support/temp-dir.js'

const LOAD = resolve(import.meta.dirname, '../../dist/backend/load.js')
const backend = process.env.PARTITION_LOG_BACKEND ?? ''

/** Makes the files of a segment, changes each, and has two files, a directory and a file by its path synced. */
const PROGRAM = `
const { loadBackend } = await import(${JSON.stringify(LOAD)})
const { backend } = loadBackend(${JSON.stringify(backend)})
const directory = process.argv[1]
const log = backend.openLogFile(directory + '/0.log', { mode: 'create', baseOffset: 0n })
const index = backend.openIndexFile(directory + '/0.index', { kind: 'offset', mode: 'create', capacityBytes: 800 })
const time = backend.openIndexFile(directory + '/0.timeindex', { kind: 'time', mode: 'create', capacityBytes: 1200 })
log.append({ bytes: Buffer.alloc(80), length: 80, seal: false }, index, time)
const lane = backend.openLane()
await lane.flush([log, index])
await lane.flushPath(directory)
await lane.flush([time])
await lane.flushPath(directory + '/0.log')
await lane.close()
await Promise.all([log.close(), index.close(), time.close()])
`

const hasStrace = spawnSync('strace', ['-V']).status === 0

it.skipIf(!hasStrace)(
  'flush is fdatasync of each file, flushPath fsync of what has that path, in the order of the calls',
  () => {
    const directory = join(tempDir(), 'segment')
    mkdirSync(directory)
    const trace = join(tempDir(), 'trace')
    const command = [process.execPath, '--input-type=module', '--eval', PROGRAM, directory]
    const { status, stderr } = spawnSync('strace', [
      '-f',
      '-y',
      '-e',
      'trace=fsync,fdatasync',
      '-o',
      trace,
      ...command,
    ])
    expect(status, String(stderr)).toBe(0)
    const calls = [...readFileSync(trace, 'utf8').matchAll(/\b(fsync|fdatasync)\(\d+<([^>]+)>\)?/g)]
    expect(calls.map(([, call, path = '']) => `${call} ${path.replace(directory, 'segment')}`)).toEqual([
      'fdatasync segment/0.log',
      'fdatasync segment/0.index',
      'fsync segment',
      'fdatasync segment/0.timeindex',
      'fsync segment/0.log',
    ])
  },
)
