/** The bar on stderr is for people at a terminal. */
import { describe, expect, it } from 'vitest'
import { Context } from '../../lib/cli/context.js'
import { byteProgress } from '../../lib/cli/progress.js'
import { Collector } from '../support/cli.js'

function shown(terminals: { stdout: boolean; stderr: boolean }, bytes: number | undefined): string {
  const stdout = Object.assign(new Collector(), { isTTY: terminals.stdout })
  const stderr = Object.assign(new Collector(), { isTTY: terminals.stderr, columns: 80 })
  const io = {
    stdin: process.stdin,
    stdinBytes: undefined,
    stdout,
    stderr,
    env: {},
    onInterrupt: () => () => undefined,
  }
  const progress = byteProgress(new Context(io, false), 'append', bytes)
  progress.add(1 << 26)
  progress.end()
  return stderr.bytes.toString()
}

describe('progress', () => {
  const large = 1 << 27

  it('is shown on a terminal', () => {
    expect(shown({ stdout: false, stderr: true }, large)).toContain('append')
  })

  it('is not shown elsewhere, among the output, for little, or without an end in sight', () => {
    expect(shown({ stdout: false, stderr: false }, large)).toBe('')
    expect(shown({ stdout: true, stderr: true }, large)).toBe('')
    expect(shown({ stdout: false, stderr: true }, 1000)).toBe('')
    expect(shown({ stdout: false, stderr: true }, undefined)).toBe('')
  })
})
