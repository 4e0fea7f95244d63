/** What a run ran on: the head of its results. Taken at the start, before anything is measured. */
import { readFileSync, realpathSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { capture } from '../../scripts/lib/run.mjs'
import { kafkaVersion } from './javas.mjs'

/** `temp` is the folder whose file system is measured. */
export function machine(temp, javas) {
  const [{ model } = { model: 'unknown' }] = cpus()
  return {
    processor: model.trim(),
    cores: cpus().length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${process.platform} ${release()}`,
    fileSystem: fileSystemOf(temp),
    node: process.version,
    javas: javas.map(({ version }) => version),
    kafka: javas.length === 0 ? null : kafkaVersion(),
    commit: commit(),
    date: new Date().toISOString().slice(0, 10),
    load: loadavg().map((load) => Math.round(load * 100) / 100),
  }
}

/** By the longest mount point above it (Linux). */
function fileSystemOf(path) {
  try {
    const real = realpathSync(path)
    const mounts = readFileSync('/proc/mounts', 'utf8').trim().split('\n')
    const above = mounts
      .map((line) => line.split(' '))
      .filter(([, at]) => at === '/' || real === at || real.startsWith(`${at}/`))
    return above.reduce((best, mount) => (mount[1].length >= best[1].length ? mount : best))[2]
  } catch {
    return 'unknown'
  }
}

/** With `+` where files differ from it. */
function commit() {
  const at = capture('git', ['rev-parse', '--short=10', 'HEAD'])
  if (at === null) return 'unknown'
  return capture('git', ['status', '--porcelain', '--untracked-files=no']) ? `${at}+` : at
}
