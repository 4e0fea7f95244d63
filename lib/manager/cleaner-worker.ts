/**
 * Entry of a cleaner's thread: runs one job after the other, and asks the
 * thread that started it to swap what it has written.
 */

import { parentPort, workerData } from 'node:worker_threads'
import { loadCodec } from '../backend/codecs/load.js'
import { nodeFiles } from '../backend/files.js'
import { loadBackend } from '../backend/load.js'
import { AbortFlag, IoThrottle } from '../cleaner/clean-control.js'
import { errorOf, failureOf, type ThreadFailure } from '../cleaner/failure.js'
import { runJob } from '../cleaner/run-job.js'
import type { CleanerThreadData, FromCleaner, ToCleaner } from './cleaner-messages.js'

const { backend, bytesPerSecond, throttle } = workerData as CleanerThreadData
const nowMicros = () => process.hrtime.bigint() / 1_000n
const tools = {
  backend: loadBackend(backend).backend,
  files: nodeFiles,
  loadCodec,
  clock: { elapsedMs: () => Number(nowMicros()) / 1_000 },
  throttle: new IoThrottle(bytesPerSecond, nowMicros, throttle),
}
let swapped: ((failure: ThreadFailure | undefined) => void) | undefined

function tell(message: FromCleaner): void {
  parentPort?.postMessage(message)
}

parentPort?.on('message', (message: ToCleaner) => {
  if (message.kind === 'swapped') swapped?.(message.failure)
  else void run(message.job, new AbortFlag(message.abort))
})

async function run(job: Parameters<typeof runJob>[0], abort: AbortFlag): Promise<void> {
  try {
    const result = await runJob(
      job,
      { abort, progress: (progress) => tell({ kind: 'progress', progress }), swap },
      tools,
    )
    tell({ kind: 'done', result })
  } catch (error) {
    tell({ kind: 'failed', failure: failureOf(error) })
  }
}

function swap(group: Parameters<Parameters<typeof runJob>[1]['swap']>[0]): Promise<void> {
  return new Promise((resolve, reject) => {
    swapped = (failure) => (failure === undefined ? resolve() : reject(errorOf(failure)))
    tell({ kind: 'swap', group })
  })
}
