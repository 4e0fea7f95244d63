/**
 * Our background work is asynchronous, and whoever compares has to wait for
 * it. `Housekeeping` tells nobody that a task of its is under way: here its
 * methods are watched from outside, for all logs of this process at once.
 * Not the flusher by time, whose interval no script sets.
 */
import { setImmediate } from 'node:timers/promises'
import { Housekeeping } from '../../../lib/manager/housekeeping.js'

const underWay = new Set<Promise<unknown>>()
const { runRetention, checkpoint } = Housekeeping.prototype

Housekeeping.prototype.runRetention = function () {
  return watched(runRetention.call(this))
}
Housekeeping.prototype.checkpoint = function (kind) {
  return watched(checkpoint.call(this, kind))
}

/**
 * Of a log that is opened by itself no method does what `LogManager.runCleaner` does: rounds until nothing is due, each
 * with the retention behind it. In scripts `PartitionLog.clean` does that. It throws the first failure.
 */
Housekeeping.prototype.cleanNow = async function () {
  const { failures } = await watched(this.cleaning.run())
  const [first] = failures
  if (first !== undefined) throw first.error
  return null
}

/** Tells it in `also` too while `work` runs. */
export function watched<T>(work: Promise<T>, also: Set<Promise<unknown>> = underWay): Promise<T> {
  const settled: Promise<unknown> = work.catch(() => undefined).finally(() => also.delete(settled))
  also.add(settled)
  return work
}

/** When no housekeeping runs, and nothing in `more` either; a turn later, in which tasks set their next timers. */
export async function backgroundIdle(more: ReadonlySet<Promise<unknown>>): Promise<void> {
  do {
    await Promise.all([...underWay, ...more])
    await setImmediate()
  } while (underWay.size + more.size > 0)
}
