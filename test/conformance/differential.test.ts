/** The same operations through both backends leave the same bytes and give the same answers. */
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { bothBackends } from '../support/backend.js'
import { type Operation, operations } from '../support/contract-operations.js'
import { Subject } from '../support/contract-subject.js'
import { fcOptions } from '../support/random.js'
import { tempDir } from '../support/temp-dir.js'

describe('differential', () => {
  const backends = bothBackends()
  const lanes = backends.map((backend) => backend.openLane())
  afterAll(async () => {
    await Promise.all(lanes.map((lane) => lane.close()))
  })

  test.skipIf(backends.length === 0)('random operations on a segment', { timeout: 300_000 }, async () => {
    const directory = tempDir()
    const preallocation = fc.option(fc.constantFrom(0, 100, 5000), { nil: undefined })
    await fc.assert(
      fc.asyncProperty(operations, preallocation, (run, preallocateBytes) =>
        compare(directory, run, preallocateBytes),
      ),
      fcOptions(300),
    )
  })

  async function compare(
    directory: string,
    run: Operation[],
    preallocateBytes: number | undefined,
  ): Promise<void> {
    const subjects = backends.map((backend, i) => {
      const own = join(directory, backend.name)
      mkdirSync(own)
      return new Subject(backend, lanes[i] ?? backend.openLane(), own, preallocateBytes)
    })
    try {
      for (const operation of run) {
        const outcomes = await Promise.all(subjects.map((subject) => subject.apply(operation)))
        expect(outcomes[0]).toEqual(outcomes[1])
        expect(subjects[0]?.state()).toEqual(subjects[1]?.state())
      }
    } finally {
      await Promise.all(subjects.map((subject) => subject.close()))
      for (const { name } of backends) rmSync(join(directory, name), { recursive: true })
    }
  }
})
