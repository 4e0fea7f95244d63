/** Waiting for work that goes on beside a test: by turns of the event loop, never by the clock. */

/** Far more than anything here takes; only a wait for what never comes gets there. */
const TURNS = 200_000

/** Resolves once `condition` holds, looked at once a turn; fails where it never does. */
export async function until(condition: () => boolean | Promise<boolean>, what = 'it'): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    if (await condition()) return
    await new Promise((resolve) => setImmediate(resolve))
  }
  throw new Error(`waited for ${what}, and it did not come`)
}

/** Lets `count` turns of the event loop pass. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
