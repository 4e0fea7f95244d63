/**
 * Runs every example of the documents, as a user's program that has the
 * package installed: blocks marked `js` with Node, blocks marked `sh run` with
 * the shell and `plog` on the path. Lines `// -> text` say what is printed.
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FencedBlock, fencedBlocks, root } from '../support/documents.js'
import { tempDir } from '../support/temp-dir.js'

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], cwd: string, path = ''): Promise<Ended> {
  const env = { ...process.env, PATH: `${path}${delimiter}${process.env.PATH}` }
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (code) => resolve({ code, ...output }))
  })
}

/** A folder in which `partition-log` is installed. */
function installed(): string {
  const folder = tempDir()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/partition-log'), 'junction')
  return folder
}

/** A folder with the command `plog`. */
function commands(): string {
  const folder = tempDir()
  const command = join(folder, 'plog')
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'dist/cli/main.js')}" "$@"\n`)
  chmodSync(command, 0o755)
  return folder
}

function promised({ code }: FencedBlock): string[] {
  return [...code.matchAll(/^\s*\/\/ -> (.*)$/gm)].map(([, text = '']) => text)
}

describe('a js example', () => {
  const examples = fencedBlocks('js')

  it('is found in the README and in the pages that have some', () => {
    const pages = new Set(examples.map(({ document }) => document))
    expect([...pages]).toEqual(expect.arrayContaining(['README.md', 'docs/durability.md', 'docs/errors.md']))
  })

  it.each(examples)('of $document, line $line, prints what it says', async (example) => {
    const folder = installed()
    writeFileSync(join(folder, 'example.mjs'), example.code)
    const { code, stdout, stderr } = await run(process.execPath, ['example.mjs'], folder)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    const lines = promised(example)
    if (lines.length > 0) expect(stdout.trimEnd().split('\n')).toEqual(lines)
    else expect(stdout).not.toBe('')
  })
})

describe('a shell example', () => {
  it.each(fencedBlocks('sh run'))('of $document, line $line, runs through', async ({ code: script }) => {
    const { code, stdout, stderr } = await run('sh', ['-e', '-c', script], tempDir(), commands())
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/error/i) })
    expect(stdout).not.toBe('')
  })
})
