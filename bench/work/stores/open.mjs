/** The store behind a contender's name. Packages of stores are loaded only by those who measure them. */
const MODULES = {
  native: ['./ours.mjs', 'Ours'],
  portable: ['./ours.mjs', 'Ours'],
  floor: ['./floor.mjs', 'Floor'],
  'better-sqlite3-normal': ['./sqlite.mjs', 'Sqlite'],
  'better-sqlite3-full': ['./sqlite.mjs', 'Sqlite'],
  lmdb: ['./lmdb.mjs', 'Lmdb'],
  'classic-level': ['./level.mjs', 'Level'],
  hypercore: ['./hypercore.mjs', 'Hyper'],
}

/** Gives what opens an empty store: `open(directory)`; with `durable` it is one that can wait for the disk. */
export async function storeOf({ contender, backend }, { durable = false } = {}) {
  const [path, name] = MODULES[contender]
  const { [name]: Store } = await import(path)
  return (directory) => Store.open(directory, { contender, backend, durable })
}
