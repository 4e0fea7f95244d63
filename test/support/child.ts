/** Code that runs in a process of its own, with the same backend. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const loadUrl = pathToFileURL(join(root, 'dist/backend/load.js')).href

const started: ChildProcess[] = []

// One that a failed test left waiting would outlive the run.
afterAll(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
})

/**
 * Starts a module in which `backend` is this run's backend (as compiled into
 * dist/) and `say(text)` writes a line for `nextLine`.
 */
export function startChild(code: string, options: Pick<SpawnOptions, 'uid' | 'gid'> = {}): Child {
  const prelude = `
    import { loadBackend } from ${JSON.stringify(loadUrl)}
    const { backend } = loadBackend(process.env.PARTITION_LOG_BACKEND)
    const say = (text) => process.stdout.write(text + '\\n')`
  const args = ['--input-type=module', '--eval', `${prelude}\n${code}`]
  const child = spawn(process.execPath, args, { ...options, stdio: ['pipe', 'pipe', 'inherit'] })
  started.push(child)
  return new Child(child)
}

export class Child {
  readonly process: ChildProcess
  readonly exited: Promise<number | null>
  readonly #lines: AsyncIterator<string>

  constructor(child: ChildProcess) {
    this.process = child
    this.exited = new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
    })
    this.#lines = lines(child)
  }

  /** The next line that the child said; fails where it ended without. */
  async nextLine(): Promise<string> {
    const { value, done } = await this.#lines.next()
    if (done === true) throw new Error(`the child ended with ${await this.exited} and said nothing more`)
    return value
  }
}

async function* lines(child: ChildProcess): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of child.stdout ?? []) {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    yield* parts
  }
}
