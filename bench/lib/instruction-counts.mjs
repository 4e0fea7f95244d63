/**
 * Instructions of the native core under callgrind, by group (native/bench). A
 * commit that has groups of its own is counted with them, since they are
 * written for its core; an older one with this tree's, if they compile there.
 */
import { cpSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { capture, root } from '../../scripts/lib/run.mjs'

const BUILD = 'build-counts'

/** Why nothing can be counted here; null where it can. */
export function missingForCounts() {
  if (capture('valgrind', ['--version']) === null) return 'no valgrind'
  return capture('cmake', ['--version']) === null ? 'no cmake' : null
}

/** @returns {Map<string, number> | null} instructions by group; null where the groups do not compile with this core */
export function countInstructions(tree) {
  if (!existsSync(join(tree, 'native/bench'))) {
    for (const path of ['native/bench', 'CMakeLists.txt']) {
      cpSync(join(root, path), join(tree, path), { recursive: true })
    }
  }
  const program = build(tree)
  if (program === null) return null
  const groups = capture(program, [])?.split('\n') ?? []
  return new Map(groups.map((group) => [group, countOf(program, group)]))
}

function build(tree) {
  const folder = join(tree, BUILD)
  const steps = [
    ['-S', tree, '-B', folder, '-DCMAKE_BUILD_TYPE=Release'],
    ['--build', folder, '--target', 'core_counts', '--parallel'],
  ]
  return steps.every((args) => capture('cmake', args) !== null) ? join(folder, 'core_counts') : null
}

/** NaN where it failed. */
function countOf(program, group) {
  const options = ['--tool=callgrind', '--callgrind-out-file=/dev/null', '--toggle-collect=plog_counted']
  const text = capture('valgrind', [...options, program, group], { mergeErrors: true }) ?? ''
  return Number(/Collected : (\d+)/.exec(text)?.[1] ?? Number.NaN)
}
