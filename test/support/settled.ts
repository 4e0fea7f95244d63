/**
 * Knows when a machine has come to rest: a test that has moved the clock waits
 * for what came due to end, however long the disk takes, and not for a while.
 */
import type { Lane } from '../../lib/backend/contract.js'
import type { Machine } from '../../lib/manager/machine.js'
import { turns } from './turns.js'

/** Steps between two calls of the machine take a few turns of the event loop, never as many. */
const QUIET_TURNS = 30

export interface Settling {
  readonly machine: Machine
  /** Resolves when no call is under way and none follows. */
  settled(): Promise<void>
}

/** `machine` with its asynchronous calls counted. */
export function settling(machine: Machine): Settling {
  const underWay = new Set<Promise<unknown>>()
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(_, name) {
        const value: unknown = Reflect.get(target, name, target)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          const result: unknown = value.apply(target, args)
          if (!(result instanceof Promise)) return result
          underWay.add(result)
          const ended = () => void underWay.delete(result)
          result.then(ended, ended)
          return result
        }
      },
    })
  const { clock, entropy, files, backend, openSegments } = machine
  const countedBackend = backend && {
    name: backend.name,
    crc32c: backend.crc32c.bind(backend),
    records: backend.records,
    openLogFile: backend.openLogFile.bind(backend),
    openIndexFile: backend.openIndexFile.bind(backend),
    lockDirectory: backend.lockDirectory.bind(backend),
    openLane: (): Lane => counted(backend.openLane()),
  }
  return {
    machine: {
      clock,
      entropy,
      files: counted(files),
      ...(countedBackend === undefined ? {} : { backend: countedBackend }),
      ...(openSegments === undefined ? {} : { openSegments }),
    },
    async settled() {
      for (let quiet = 0; quiet < QUIET_TURNS; quiet++) {
        // Turning the event loop all the while would take the processor from what is waited for.
        if (underWay.size > 0) quiet = 0
        await Promise.allSettled(underWay)
        await turns(1)
      }
    },
  }
}
