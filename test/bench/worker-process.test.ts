/** A contender's process, played by small programs: each way to answer, and each way to end. */
import { afterEach, expect, test } from 'vitest'
import { Absent, killAll, WorkerProcess } from '../../bench/lib/worker-process.mjs'

/** Answers each line of input with `replies` in turn, after `first`. */
function program(first: string, replies: readonly string[] = []): WorkerProcess {
  const code = `
    const say = (line) => process.stdout.write(line + '\\n')
    const replies = ${JSON.stringify(replies)}
    ${first}
    process.stdin.setEncoding('utf8').on('data', (text) => {
      for (const _line of text.trim().split('\\n')) say(replies.shift())
    })
    process.stdin.on('end', () => say('{"peakKib":5}'))`
  return new WorkerProcess({ command: process.execPath, args: ['-e', code] })
}

const READY = `say('{"ready":true}')`

afterEach(killAll)

test('it gets ready, does its rounds and ends', async () => {
  const worker = program(READY, ['{"value":1}', '{"value":2}'])
  await worker.ready()
  expect(await worker.round()).toEqual({ value: 1 })
  expect(await worker.round()).toEqual({ value: 2 })
  expect(await worker.end()).toEqual({ peakKib: 5 })
})

test('a fault is an error with its text', async () => {
  const worker = program(READY, ['{"fault":"no such index"}'])
  await worker.ready()
  await expect(worker.round()).rejects.toThrow('no such index')
})

test('absence is an error of its own', async () => {
  await expect(program(`say('{"absent":"no codec"}')`).ready()).rejects.toThrow(Absent)
})

test('an exit before the answer is an error with the last words', async () => {
  const worker = program(`console.error('out of memory'); process.exit(3)`)
  await expect(worker.ready()).rejects.toThrow(/exit code 3\nout of memory/)
})

test('a program that is not there is an error', async () => {
  const worker = new WorkerProcess({ command: 'no-such-program-anywhere', args: [] })
  await expect(worker.ready()).rejects.toThrow('ENOENT')
})

test('one that never answers is killed when its time is over', async () => {
  const args = ['-e', 'setInterval(() => {}, 1_000)']
  const worker = new WorkerProcess({ command: process.execPath, args, timeoutMs: 300 })
  await expect(worker.ready()).rejects.toThrow('SIGKILL')
})
