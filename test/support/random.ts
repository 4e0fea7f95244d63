/**
 * Random tests: how many runs, and from which seed. The seed is printed before
 * the first run, so that a test that hangs or is killed can be repeated too
 * (vitest shows what failed tests printed).
 */

/** `n` runs at `PROOF_SCALE=1`. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * Number(process.env.PROOF_SCALE ?? 1)))
}

/** Parameters of fast-check for `n` runs; `SEED=` repeats those of a seed. */
export function fcOptions(n: number): { numRuns: number; seed: number } {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
  console.log(`SEED=${seed}`)
  return { numRuns: runs(n), seed }
}
