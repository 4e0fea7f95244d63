/** Errors as tests look at them. */

export interface SeenError extends Error {
  readonly code?: string
  readonly path?: string
  readonly position?: number
  readonly kind?: string
}

/** The error that `work` fails with; fails the test where it does not. */
export async function rejection(work: () => unknown): Promise<SeenError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Error) return error as SeenError
    throw new Error(`not an error: ${String(error)}`)
  }
  throw new Error('nothing was thrown')
}

/** The code of the error that `work` fails with. */
export async function codeOf(work: () => unknown): Promise<string | undefined> {
  return (await rejection(work)).code
}
