/** Options of rows that repeat one call for a while; how long, in each size of a run. */
export const LOOP = {
  options: { warmUpMs: 3000, roundMs: 1500 },
  quickOptions: { warmUpMs: 1200, roundMs: 500 },
  smokeOptions: { warmUpMs: 20, roundMs: 10 },
}
