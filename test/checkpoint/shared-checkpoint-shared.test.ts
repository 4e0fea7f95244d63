/** One checkpoint file, many logs that write their lines of it. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Files, Lane } from '../../lib/backend/contract.js'
import { nodeFiles } from '../../lib/backend/files.js'
import { SharedCheckpoint } from '../../lib/checkpoint/shared-checkpoint.js'
import { ioError } from '../../lib/errors.js'
import { codeOf, rejection } from '../support/errors.js'
import { fcOptions } from '../support/random.js'
import { memoryDir } from '../support/temp-dir.js'
import { turns, until } from '../support/turns.js'

const FILE = 'offsets'

/** A checkpoint whose steps are noted; each can be held, or made to fail. */
function checkpointIn(directory = memoryDir()) {
  const steps: string[] = []
  const holds: { step: string; released: Promise<void>; behind: boolean }[] = []
  let failing: string | undefined
  const step = async (name: string, run: () => Promise<void>): Promise<void> => {
    steps.push(name)
    const hold = holds.find((candidate) => candidate.step === name)
    if (hold !== undefined) holds.splice(holds.indexOf(hold), 1)
    if (hold?.behind === false) await hold.released
    if (name === failing) throw ioError('write', 'EIO', name)
    await run()
    if (hold?.behind === true) await hold.released
  }
  const files: Files = {
    ...nodeFiles,
    async read(path, maxBytes) {
      let content: Buffer | undefined
      await step('read', async () => {
        content = await nodeFiles.read(path, maxBytes)
      })
      return content
    },
    write: (path, bytes) => step(`write ${basename(path)}`, () => nodeFiles.write(path, bytes)),
    rename: (from, to) => step(`rename ${basename(from)}`, () => nodeFiles.rename(from, to)),
  }
  const lane = {
    flushPath: (path: string) =>
      step(`flush ${path === directory ? 'directory' : basename(path)}`, async () => {}),
  } as Lane
  const path = join(directory, FILE)
  return {
    checkpoint: new SharedCheckpoint({ files, lane }, directory, FILE),
    directory,
    path,
    steps,
    text: () => readFileSync(path, 'latin1'),
    /** The next such step waits before it happens, or with `behind` after; the call lets it go on. */
    hold(name: string, behind = false): () => void {
      let release = () => {}
      const released = new Promise<void>((resolve) => {
        release = resolve
      })
      holds.push({ step: name, released, behind })
      return release
    },
    failAt(name: string | undefined) {
      failing = name
    },
  }
}

const WRITE = ['write offsets.tmp', 'flush offsets.tmp', 'rename offsets.tmp', 'flush directory']

describe('a write', () => {
  test('known fault 58: goes to a file of its own, which is on disk before it takes the name', async () => {
    const { checkpoint, steps, text, directory } = checkpointIn()
    await checkpoint.update(new Map([['a-0', 5n]]))
    expect(steps).toEqual(['read', ...WRITE])
    expect(text()).toBe('0\n1\na 0 5\n')
    expect(readdirSync(directory)).toEqual([FILE])
  })

  test.each(WRITE)('known fault 68: that fails at "%s" leaves the old lines or the new', async (failing) => {
    const { checkpoint, failAt, text, steps } = checkpointIn()
    await checkpoint.update(new Map([['a-0', 5n]]))
    failAt(failing)
    expect(await codeOf(() => checkpoint.update(new Map([['b-0', 6n]])))).toBe('ERR_IO')
    expect(text()).toBe(failing === 'flush directory' ? '0\n2\na 0 5\nb 0 6\n' : '0\n1\na 0 5\n')
    failAt(undefined)
    steps.splice(0)
    await checkpoint.update(new Map([['c-0', 7n]]))
    // What the file holds is not known any more after a failure.
    expect(steps).toEqual(['read', ...WRITE])
    expect(text()).toContain('c 0 7\n')
    expect(text()).toContain('a 0 5\n')
  })

  test('takes all that came while the one before was running', async () => {
    const { checkpoint, hold, steps, text } = checkpointIn()
    const release = hold('rename offsets.tmp')
    const first = checkpoint.update(new Map([['a-0', 1n]]))
    await until(() => steps.includes('rename offsets.tmp'))
    const more = Array.from({ length: 100 }, (_, n) => checkpoint.update(new Map([[`b-${n}`, BigInt(n)]])))
    release()
    await Promise.all([first, ...more])
    expect(steps.filter((step) => step === 'rename offsets.tmp')).toHaveLength(2)
    expect(text().split('\n')[1]).toBe('101')
  })

  test('takes of several changes of one line the last', async () => {
    const { checkpoint, text } = checkpointIn()
    await Promise.all([5n, undefined, 9n, 7n].map((offset) => checkpoint.update(new Map([['a-0', offset]]))))
    expect(text()).toBe('0\n1\na 0 7\n')
  })

  test('leaves lines that nobody asked to change, and takes out what is undefined', async () => {
    const { checkpoint, path, text } = checkpointIn()
    writeFileSync(path, '0\n3\n__cluster_metadata 0 12\ngone 1 -1\na-b.c_d 2147483647 9223372036854775807\n')
    await checkpoint.update(
      new Map([
        ['gone-1', undefined],
        ['never-1', undefined],
      ]),
    )
    expect(text()).toBe('0\n2\n__cluster_metadata 0 12\na-b.c_d 2147483647 9223372036854775807\n')
    expect(await checkpoint.offsetOf('a-b.c_d-2147483647')).toBe(2n ** 63n - 1n)
    expect(await checkpoint.offsetOf('gone-1')).toBeUndefined()
  })

  test('that would change nothing is none; a file that is missing is made', async () => {
    const { checkpoint, steps, text } = checkpointIn()
    await checkpoint.update(new Map())
    expect(text()).toBe('0\n0\n')
    await checkpoint.update(new Map([['a-0', 1n]]))
    steps.splice(0)
    await checkpoint.update(
      new Map([
        ['a-0', 1n],
        ['b-0', undefined],
      ]),
    )
    expect(steps).toEqual([])
  })

  test('that failed keeps none waiting, and what came meanwhile is written', async () => {
    const { checkpoint, hold, failAt, steps, text } = checkpointIn()
    const release = hold('rename offsets.tmp')
    const first = checkpoint.update(new Map([['a-0', 1n]]))
    await until(() => steps.includes('rename offsets.tmp'))
    const second = checkpoint.update(new Map([['b-0', 2n]]))
    failAt('rename offsets.tmp')
    release()
    expect(await codeOf(() => first)).toBe('ERR_IO')
    failAt(undefined)
    await second
    expect(text()).toBe('0\n1\nb 0 2\n')
  })
})

describe('a look-up', () => {
  test('beside a write never brings old lines back', async () => {
    const { checkpoint, hold, steps, text } = checkpointIn()
    await checkpoint.update(
      new Map([
        ['a-0', 1n],
        ['b-0', 1n],
      ]),
    )
    const renamed = hold('flush offsets.tmp')
    const writing = checkpoint.update(new Map([['a-0', 2n]]))
    await until(() => steps.at(-1) === 'flush offsets.tmp')
    // It has the old content in its hands when the write ends.
    const read = hold('read', true)
    const found = checkpoint.offsetOf('c-0')
    await turns(50)
    renamed()
    await writing
    read()
    expect(await found).toBeUndefined()
    await checkpoint.update(new Map([['b-0', 3n]]))
    expect(text()).toBe('0\n2\na 0 2\nb 0 3\n')
  })

  test.each([
    ['torn', '0\n2\na 0 5\n', 2],
    ['cut in its number of entries', '0\n', 2],
    ['of another version', '1\n0\n', 1],
    ['with a foreign line', '0\n2\na 0 5\nsomething else entirely\n', 4],
    ['with an offset beyond 64 bits', '0\n1\na 0 9223372036854775808\n', 3],
    ['with a partition that is none', '0\n1\na -1 5\n', 3],
  ])(
    'in a file %s is ERR_CORRUPT with file and line, for who reads and who writes',
    async (_, content, line) => {
      const { checkpoint, path, text } = checkpointIn()
      writeFileSync(path, content)
      const error = await rejection(() => checkpoint.offsetOf('a-0'))
      expect(error).toMatchObject({ code: 'ERR_CORRUPT', kind: 'checkpoint', path })
      expect(error.message).toContain(`line ${line}:`)
      expect(await codeOf(() => checkpoint.update(new Map([['a-0', 9n]])))).toBe('ERR_CORRUPT')
      expect(text()).toBe(content)
      writeFileSync(path, '')
      expect(await checkpoint.offsetOf('a-0')).toBeUndefined()
    },
  )
})

test('idle waits for what is written and what waits to be', async () => {
  const { checkpoint, hold, steps, text } = checkpointIn()
  const release = hold('flush directory')
  void checkpoint.update(new Map([['a-0', 1n]]))
  await until(() => steps.includes('flush directory'))
  void checkpoint.update(new Map([['b-0', 2n]]))
  let isIdle = false
  const idle = checkpoint.idle().then(() => {
    isIdle = true
  })
  await turns(20)
  expect(isIdle).toBe(false)
  release()
  await idle
  expect(text()).toBe('0\n2\na 0 1\nb 0 2\n')
})

describe('any mix of changes, failures and look-ups', () => {
  const name = fc.constantFrom('a-0', 'b-1', 'c.d-2')
  const change = fc.tuple(name, fc.option(fc.bigInt(0n, 9n), { nil: undefined }))
  const operation = fc.oneof(
    { weight: 4, arbitrary: fc.record({ changes: fc.array(change, { maxLength: 3 }), wait: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ failing: fc.constantFrom(undefined, ...WRITE) }) },
    { weight: 2, arbitrary: fc.record({ lookUp: name }) },
  )

  test('leaves for each line what its last change said, if that was told to be on disk', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
        const { checkpoint, failAt, path } = checkpointIn()
        /** What a line may hold: one value once a change of it has resolved. */
        const possible = new Map<string, Set<bigint | undefined>>()
        const working: Promise<unknown>[] = []
        for (const operation of operations) {
          if ('failing' in operation) failAt(operation.failing)
          else if ('lookUp' in operation) working.push(checkpoint.offsetOf(operation.lookUp))
          else {
            const changes = new Map(operation.changes)
            for (const [line, offset] of changes) {
              possible.set(line, new Set([...(possible.get(line) ?? [undefined]), offset]))
            }
            const writing = checkpoint.update(changes).then(
              () => operation.wait && narrow(possible, changes),
              () => undefined,
            )
            working.push(writing)
            if (operation.wait) await Promise.all(working)
          }
        }
        await Promise.all(working)
        const fresh = checkpointIn(join(path, '..')).checkpoint
        for (const [line, values] of possible) expect([...values]).toContain(await fresh.offsetOf(line))
      }),
      fcOptions(60),
    )
  })

  /** Nothing else was under way when these were written. */
  function narrow(
    possible: Map<string, Set<bigint | undefined>>,
    changes: ReadonlyMap<string, bigint | undefined>,
  ): void {
    for (const [line, offset] of changes) possible.set(line, new Set([offset]))
  }
})
