/**
 * Proves that the package works where nothing can be compiled: a copy of this
 * tree without any binary is installed with a compiler that is not there, and
 * a program of its own appends to a log and reads it back.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { capture, Failure, main, root, run, step } from './lib/run.mjs'

const LEFT_OUT = /^(\.git|node_modules|build|build-[^/]*|dist|coverage|prebuilds|test|bench)$/
const NO_COMPILER = { CC: '/nonexistent/cc', CXX: '/nonexistent/c++', PARTITION_LOG_BACKEND: '' }

/** What a user writes; prints the backend's name and the values read. */
const PROGRAM = `
import { backend, openLog } from 'partition-log'
const log = await openLog('data/orders-0')
await log.append([{ key: 'a', value: 'one' }, { key: 'b', value: 'two' }]).durable()
const values = []
for await (const record of log.read({ from: 0n })) values.push(Buffer.from(record.value).toString())
await log.close()
console.log([backend.name, ...values].join(' '))
`

await main(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'partition-log-portable-'))
  try {
    cpSync(root, folder, {
      recursive: true,
      filter: (path) => !LEFT_OUT.test(relative(root, path).split(sep)[0]),
    })
    await step('npm ci without a compiler', () =>
      run('npm', ['ci', '--loglevel', 'error'], { cwd: folder, env: NO_COMPILER, quiet: true }),
    )
    writeFileSync(join(folder, 'program.mjs'), PROGRAM)
    const said = capture(process.execPath, ['program.mjs'], {
      cwd: folder,
      env: NO_COMPILER,
      showErrors: true,
    })
    if (said !== 'portable one two')
      throw new Failure(`expected "portable one two", the program said: ${said}`)
    console.log('without a compiler: the portable backend appended and read')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
