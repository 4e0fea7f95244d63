/** Errors as tests look at them. */

export interface SeenError extends Error {
  readonly code?: string
  readonly path?: string
  readonly position?: number
  readonly kind?: string
  readonly [field: string]: unknown
}

/** The error that `action` throws in this turn; fails the test where it does not. */
export function errorFrom(action: () => unknown): SeenError {
  try {
    action()
  } catch (error) {
    return asError(error)
  }
  throw new Error('nothing was thrown')
}

/** The error that `work` fails with; fails the test where it does not. */
export async function rejection(work: () => unknown): Promise<SeenError> {
  try {
    await work()
  } catch (error) {
    return asError(error)
  }
  throw new Error('nothing was thrown')
}

/** The code of the error that `work` fails with. */
export async function codeOf(work: () => unknown): Promise<string | undefined> {
  return (await rejection(work)).code
}

function asError(thrown: unknown): SeenError {
  if (thrown instanceof Error) return thrown as SeenError
  throw new Error(`not an error: ${String(thrown)}`)
}
