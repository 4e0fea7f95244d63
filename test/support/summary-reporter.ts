/**
 * The last word of a test run: what each backend passed, failed and skipped.
 *
 * Always true: a run in which no test ran, or in which both backends took part
 * and ran different tests, is a failed run. The same totals go as JSON to the
 * file named by `PARTITION_LOG_SUMMARY`, where scripts/test.mjs reads them.
 */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestRunEndReason } from 'vitest/node'

const STILL_RUNNING_MS = 120_000

/** One test, or one file that could not be collected. */
export interface Outcome {
  readonly backend: string
  readonly name: string
  readonly state: 'passed' | 'failed' | 'skipped'
}

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

export interface Summary {
  readonly backends: Record<string, Counts>
  readonly passed: number
  readonly failed: number
  /** Why the run counts as failed though every test may have passed. */
  readonly problems: string[]
}

export default class SummaryReporter implements Reporter {
  private readonly running = new Map<TestModule, NodeJS.Timeout>()

  /** A test that never gives way cannot be timed out by vitest: at least it is named. */
  onTestModuleStart(module: TestModule) {
    const say = () => console.log(`still running on ${module.project.name}: ${fileOf(module)}`)
    this.running.set(module, setInterval(say, STILL_RUNNING_MS).unref())
  }

  onTestModuleEnd(module: TestModule) {
    clearInterval(this.running.get(module))
    this.running.delete(module)
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[], reason: TestRunEndReason) {
    const summary = summarize(modules.flatMap(outcomesOf), errors.length)
    for (const module of modules.filter(isUnfinished)) {
      summary.problems.push(`never finished on ${module.project.name}: ${fileOf(module)}`)
    }
    if (reason === 'interrupted') summary.problems.push('the run was interrupted')
    for (const line of linesOf(summary)) console.log(line)
    if (summary.problems.length > 0 || summary.failed > 0) process.exitCode = 1
    const file = process.env.PARTITION_LOG_SUMMARY
    if (file !== undefined) writeFileSync(file, JSON.stringify(summary))
  }
}

/** Adds up the outcomes; each error outside of any test counts as one failure. */
export function summarize(outcomes: readonly Outcome[], errorsOutsideTests: number): Summary {
  const backends: Record<string, Counts> = {}
  for (const { backend, state } of outcomes) {
    backends[backend] ??= { passed: 0, failed: 0, skipped: 0 }
    backends[backend][state] += 1
  }
  const all = Object.values(backends)
  const passed = all.reduce((sum, counts) => sum + counts.passed, 0)
  const failed = all.reduce((sum, counts) => sum + counts.failed, errorsOutsideTests)
  const problems = differences(outcomes)
  if (passed + failed === 0) problems.push('no test ran')
  return { backends, passed, failed, problems }
}

/** Tests that one backend ran and another did not; at most ten are named. */
function differences(outcomes: readonly Outcome[]): string[] {
  const ran = new Map<string, Map<string, number>>()
  for (const backend of new Set(outcomes.map((outcome) => outcome.backend))) ran.set(backend, new Map())
  for (const { backend, name, state } of outcomes) {
    if (state === 'skipped') continue
    const names = ran.get(backend)
    names?.set(name, (names.get(name) ?? 0) + 1)
  }
  const found: string[] = []
  for (const [one, names] of ran) {
    for (const [other, others] of ran) {
      for (const [name, times] of names) {
        if (times > (others.get(name) ?? 0)) found.push(`ran on ${one} but not on ${other}: ${name}`)
      }
    }
  }
  return found.length > 10 ? [...found.slice(0, 10), `… and ${found.length - 10} more`] : found
}

function outcomesOf(module: TestModule): Outcome[] {
  const backend = module.project.name
  const file = fileOf(module)
  const outcomes: Outcome[] = []
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    outcomes.push({
      backend,
      name: `${file} > ${test.fullName}`,
      state: state === 'pending' ? 'failed' : state,
    })
  }
  // A file or a suite can fail beside its tests: an import, a beforeAll, an afterAll.
  const suites = [...module.children.allSuites()]
  const errors = module.errors().length + suites.reduce((sum, suite) => sum + suite.errors().length, 0)
  if (errors > 0) outcomes.push({ backend, name: `${file} > (outside of its tests)`, state: 'failed' })
  return outcomes
}

/** Its worker died, or was killed: the tests it had begun count as failed, the others are not known. */
function isUnfinished(module: TestModule): boolean {
  return module.state() === 'pending' || module.state() === 'queued'
}

function fileOf(module: TestModule): string {
  return relative(process.cwd(), module.moduleId)
}

function linesOf(summary: Summary): string[] {
  const lines = Object.entries(summary.backends).map(
    ([backend, { passed, failed, skipped }]) =>
      `${backend.padEnd(10)}${passed} passed, ${failed} failed, ${skipped} skipped`,
  )
  return [...lines, ...summary.problems.map((problem) => `run failed: ${problem}`)]
}
