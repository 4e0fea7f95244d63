/**
 * How random tests run: `PROOF_SCALE` multiplies the number of runs, `SEED`
 * repeats one run. fast-check prints the seed of what fails.
 */

/** `n` runs, scaled by `PROOF_SCALE`; at least one. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * Number(process.env.PROOF_SCALE ?? 1)))
}

/** fast-check's options for `n` runs. */
export function fcOptions(n: number): { numRuns: number; seed?: number } {
  return { numRuns: runs(n), ...(process.env.SEED ? { seed: Number(process.env.SEED) } : {}) }
}
