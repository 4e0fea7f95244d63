/**
 * What a contender is, by its name: one of our backends, Kafka on a JVM, the
 * floor of bare `node:fs`, the idle process, or a store that Node developers use.
 */

/** The package that each store needs, by how its contenders' names begin. */
export const STORES = {
  'better-sqlite3': 'better-sqlite3',
  lmdb: 'lmdb',
  'classic-level': 'classic-level',
  hypercore: 'hypercore',
  rocksdb: '@harperfast/rocksdb-js',
}

/** `ours`, `kafka`, `floor`, `idle` or `stores`. */
export function kindOf(contender) {
  if (contender === 'native' || contender === 'portable') return 'ours'
  if (contender.startsWith('kafka')) return 'kafka'
  return contender === 'floor' || contender === 'idle' ? contender : 'stores'
}

/** The package of a store's contender; null where it needs none. */
export function packageOf(contender) {
  const store = Object.keys(STORES).find((name) => contender.startsWith(name))
  return store === undefined ? null : STORES[store]
}
