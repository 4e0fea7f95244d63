/**
 * A backend whose lanes are used again: starting a thread or two for each of
 * thousands of openings would be most of the work. All else is the real thing.
 */

/** @param {import('../../../lib/backend/contract.js').Backend} real */
export function pooledLanes(real) {
  const idle = []
  return { ...bound(real), openLane: () => lent(idle.pop() ?? real.openLane(), idle) }
}

/** Methods may live on a prototype, which a spread leaves out. */
function bound(real) {
  const names = ['crc32c', 'openLogFile', 'openIndexFile', 'lockDirectory']
  return { name: real.name, ...Object.fromEntries(names.map((name) => [name, real[name].bind(real)])) }
}

function lent(lane, idle) {
  const works = new Set()
  let closing
  const working =
    (name) =>
    async (...args) => {
      const work = lane[name](...args)
      works.add(work)
      try {
        return await work
      } finally {
        works.delete(work)
      }
    }
  const close = () => {
    closing ??= Promise.allSettled(works).then(() => void idle.push(lane))
    return closing
  }
  const handler = {
    get: (_, name) => (name === 'close' ? close : name === 'then' ? undefined : working(name)),
  }
  return new Proxy({}, handler)
}
