/** The results of `bench/clean.mjs` as tables, and the machine that they are of. */
import { cpus, release } from 'node:os'
import Table from 'cli-table3'

const MAP_MIB = 128

export function machine() {
  const [{ model } = { model: 'unknown' }] = cpus()
  return {
    processor: model.trim(),
    cores: cpus().length,
    system: `${process.platform} ${release()}`,
    node: process.version,
  }
}

export function printAll({ machine: here, map, clean, memory, loop }) {
  console.log(Object.values(here).join(', '))
  print(
    ['contender', 'keys', 'fill ns a key', 'look-up ns a key'],
    map,
    ({ contender, keys, putNs, getNs }) => [contender, keys, putNs.toFixed(0), getNs.toFixed(0)],
  )
  const cleanHead = [
    'codec',
    'MiB',
    'contender',
    'seconds',
    'MiB/s',
    'CPU seconds',
    'map seconds',
    'keys',
    'written',
  ]
  print(cleanHead, clean, cleanRow)
  print(['codec', 'MiB', 'contender', 'before MiB', 'peak MiB', 'above the map'], memory, memoryRow)
  print(['cleaned', 'seconds', 'late p50 ms', 'p99', 'p99.9', 'most'], loop, (row) => [
    row.cleaned,
    (row.ms / 1_000).toFixed(1),
    ...[row.p50, row.p99, row.p999, row.most].map((ms) => ms.toFixed(2)),
  ])
}

function cleanRow({ codec, mib, contender, ms, cpuMs, mapMs, keys, recordsWritten }) {
  const times = [cpuMs, mapMs].map((time) => (time / 1_000).toFixed(2))
  const speed = (mib / (ms / 1_000)).toFixed(0)
  return [codec, mib, contender, (ms / 1_000).toFixed(2), speed, ...times, keys, recordsWritten]
}

/** Of all memory, what is neither the map nor was there before. */
function memoryRow({ codec, mib, contender, beforeKib, peakKib }) {
  const sizes = [beforeKib / 1_024, peakKib / 1_024, (peakKib - beforeKib) / 1_024 - MAP_MIB]
  return [codec, mib, contender, ...sizes.map((size) => size.toFixed(0))]
}

function print(head, rows, rowOf) {
  if (rows.length === 0) return
  const table = new Table({ head, style: { head: [], border: [] } })
  for (const row of rows) table.push(rowOf(row))
  console.log(table.toString())
}
