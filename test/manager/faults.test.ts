/** Every call of the machine fails once, each in a run of its own: no fault is swallowed, and none breaks a promise. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { CALL_KINDS, type CallKind, type FailingMachine } from '../support/failing-machine.js'
import { makeOriginal, runScenario } from '../support/fault-scenario.js'
import { runs } from '../support/random.js'

let original = ''
/** Calls of each kind in a run without faults. */
let counts: Readonly<Record<CallKind, number>>
let at = ''
const rejections: unknown[] = []
const note = (reason: unknown) => void rejections.push(reason)

beforeAll(async () => {
  original = await makeOriginal()
  counts = (await runScenario(original, () => undefined)).counts
})

beforeEach(() => void process.on('unhandledRejection', note))

afterEach(({ task }) => {
  process.off('unhandledRejection', note)
  if (task.result?.state === 'fail') console.error(`at ${at}`)
})

/** A run of the story for each of `places`, or one in `every`; `arm` sets the fault. */
async function failAt(
  places: number,
  every: number,
  what: string,
  arm: (machine: FailingMachine, nth: number) => void,
): Promise<void> {
  expect(places).toBeGreaterThan(0)
  const stride = Math.max(1, Math.round(every / runs(1)))
  for (let nth = 1; nth <= places; nth += stride) {
    at = `${what} ${nth}`
    try {
      await runScenario(original, (machine) => arm(machine, nth))
      expect(rejections.splice(0)).toEqual([])
    } catch (error) {
      throw new Error(at, { cause: error })
    }
  }
}

describe('an I/O error', () => {
  // A time is set by cleanings alone, which have their own matrix.
  test.each(CALL_KINDS.filter((kind) => kind !== 'setModified'))('at each %s', async (kind) => {
    await failAt(counts[kind], 1, `EIO of ${kind}`, (machine, nth) => machine.failNth(kind, nth))
  })

  test('at every call from one on: the disk is gone', async () => {
    const calls = Object.values(counts).reduce((sum, count) => sum + count, 0)
    await failAt(calls, 5, 'a disk gone from call', (machine, nth) => {
      let made = 0
      machine.fault = () => (++made >= nth ? 'EIO' : undefined)
    })
  })
})

const WRITES: CallKind[] = [
  'write',
  'rename',
  'makeDirectory',
  'openLogFile',
  'openIndexFile',
  'append',
  'resizeIndex',
  'flush',
  'flushPath',
]

describe('a full disk', () => {
  test.each(WRITES)('at each %s', async (kind) => {
    await failAt(counts[kind], 3, `ENOSPC of ${kind}`, (machine, nth) => machine.failNth(kind, nth, 'ENOSPC'))
  })

  test('at every write from one on, until there is room again', async () => {
    const calls = WRITES.reduce((sum, kind) => sum + counts[kind], 0)
    await failAt(calls, 5, 'a disk full from call', (machine, nth) => {
      let made = 0
      machine.fault = (kind) => (WRITES.includes(kind) && ++made >= nth ? 'ENOSPC' : undefined)
    })
  })
})
