/** Our side of rows/clean.mjs; Kafka's is CleanRow.java. Copying, opening and closing are not timed. */
import { join } from 'node:path'
import { openLogManager } from '../../dist/index.js'
import { MANAGER_CONFIG, onCopy } from './log-copies.mjs'
import { peakKib, resetPeak, residentKib } from './process-use.mjs'

export const work = {
  'clean-2gib-none': (context) => cleaning(context, inSeconds),
  'clean-2gib-zstd': (context) => cleaning(context, inSeconds),
  'clean-memory': (context) => cleaning(context, inMemory),
}

async function cleaning({ backend, directory, data, options, calls }, sampleOf) {
  const { codec, warmUps, settle } = options
  const clean = (name) =>
    onCopy({ from: data[name], to: join(directory, 'copy'), settle }, (copy) =>
      cleanLog(copy, backend, calls),
    )
  for (let n = 0; n < warmUps; n++) await clean(`clean-warm-${codec}`)
  return { round: async () => sampleOf(await clean(`clean-${codec}`)), close() {} }
}

async function cleanLog(directory, backend, calls) {
  const manager = await openLogManager({ logDirs: [directory], backend, manager: MANAGER_CONFIG })
  const [log] = manager.logs()
  resetPeak()
  const beforeKib = residentKib()
  const cpu = process.cpuUsage()
  const callsBefore = calls()
  const start = performance.now()
  const report = await log.clean()
  const ms = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  const measured = { ms, cpuMs: (user + system) / 1_000, beforeKib, peakKib: peakKib(), report }
  const callsAfter = calls()
  await manager.close()
  return { ...measured, callsBefore, callsAfter }
}

/** System calls are those of one record read. */
function inSeconds({ ms, cpuMs, report, callsBefore, callsAfter }) {
  const { mapMs, keys, recordsRead, recordsWritten } = report
  const made = (name) => (callsBefore === null ? null : (callsAfter[name] - callsBefore[name]) / recordsRead)
  return {
    ...{ value: ms / 1_000, operations: recordsRead, check: recordsWritten },
    ...{ readCalls: made('readCalls'), writeCalls: made('writeCalls') },
    extra: { cpuSeconds: cpuMs / 1_000, mapSeconds: mapMs / 1_000, keys, recordsWritten },
  }
}

/** What was not there before, with the map. */
function inMemory({ beforeKib, peakKib: peak, report }) {
  const value = (peak - beforeKib) / 1_024
  return { value, operations: report.recordsRead, readCalls: null, writeCalls: null }
}
