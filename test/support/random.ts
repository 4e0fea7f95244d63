/**
 * Random tests: how many runs, and from which seed. The seed is printed before
 * the first run, so that a test that hangs or is killed can be repeated too
 * (vitest shows what failed tests printed).
 */

/** `n` runs at `PROOF_SCALE=1`. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * Number(process.env.PROOF_SCALE ?? 1)))
}

/** Shrinking what failed stops here too, so that the counterexample so far is told before a test's own time is over. */
const TIME_LIMIT_MS = 90_000

/** Parameters of fast-check for `n` runs; `SEED=` repeats those of a seed. */
export function fcOptions(n: number) {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`SEED=${seed}`)
  return {
    numRuns: runs(n),
    seed,
    interruptAfterTimeLimit: TIME_LIMIT_MS * Math.max(1, runs(1)),
    markInterruptAsFailure: true,
  }
}
