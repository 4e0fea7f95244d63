/** `npm run demo` as a user runs it, on this run's backend and the compiled package. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { Checks, RecordDigest } from '../../scripts/demo/checks.mjs'
import { tempDir } from '../support/temp-dir.js'

const root = resolve(import.meta.dirname, '../..')

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function demo(args: readonly string[], temporary: string): Promise<Ended> {
  const env = { ...process.env, TMPDIR: temporary, TEMP: temporary, TMP: temporary }
  const child = spawn(process.execPath, [join(root, 'scripts/demo.mjs'), ...args], { cwd: root, env })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return new Promise((done, fail) => {
    child.once('error', fail).once('close', (code) => done({ code, ...output }))
  })
}

describe('npm run demo', () => {
  const temporary = tempDir()
  let ended: Ended
  let directory: string

  beforeAll(async () => {
    ended = await demo(['--keep'], temporary)
    directory = join(temporary, readdirSync(temporary)[0] ?? '')
  })

  it('passes all its checks and says so', () => {
    expect(ended.stderr).toBe('')
    expect(ended.stdout).toMatch(/^demo passed: 8 checks right, 0 wrong, in /m)
    expect(ended.stdout).not.toContain('WRONG')
    expect(ended.code).toBe(0)
  })

  it('runs on the backend that it was told to use', () => {
    expect(ended.stdout).toContain(`backend: ${process.env.PARTITION_LOG_BACKEND} (`)
  })

  it('names the rows that the look-ups by time must give', () => {
    expect(ended.stdout).toContain('is number 102, MSFT,Jul 1 2008,24.75')
    expect(ended.stdout).toContain('is number 84647, {"delay":3,"distance":251,"time":12.5}')
    expect(ended.stdout.match(/ok: the look-up by time gives that row/g)).toHaveLength(2)
  })

  it('finds every record after reopening', () => {
    expect(ended.stdout).toMatch(/ok: stocks-0 holds the file's 560 records, SHA-256 /)
    expect(ended.stdout).toMatch(/ok: flights-0 holds the file's 200000 records, SHA-256 /)
  })

  it('shows the segments of the flights, the last one active', () => {
    expect(ended.stdout).toMatch(/198000 │ 200000 \(active\)/)
  })

  it('with --keep leaves the logs, closed cleanly, and says where', () => {
    expect(ended.stdout).toContain(`the logs are in ${directory}\n`)
    expect(existsSync(join(directory, '.kafka_cleanshutdown'))).toBe(true)
  })

  it('refuses logs that hold records already, and leaves them in place', async () => {
    const { code, stderr } = await demo(['--dir', directory], temporary)
    expect(stderr).toContain('holds records already')
    expect(code).toBe(1)
    expect(existsSync(join(directory, 'stocks-0'))).toBe(true)
  })

  it('otherwise removes what it wrote', async () => {
    const own = tempDir()
    expect((await demo([], own)).code).toBe(0)
    expect(readdirSync(own)).toEqual([])
  })

  it('refuses an option that it does not know', async () => {
    const { code, stderr } = await demo(['--nope'], temporary)
    expect(stderr).toContain('usage: npm run demo')
    expect(code).toBe(2)
  })
})

describe('what the demo judges by', () => {
  it('counts a difference as a failure', () => {
    const checks = new Checks()
    checks.equal('same', 1, 1)
    checks.equal('other', 1, 2)
    expect(checks.failed).toBe(1)
    expect(checks.summary()).toBe('demo FAILED: 1 checks right, 1 wrong')
  })

  it.each([
    ['a null key and an empty one', { key: null }, { key: '' }],
    ['a byte moved from key to value', { key: 'ab', value: 'c' }, { key: 'a', value: 'bc' }],
    ['timestamps', { timestamp: 1 }, { timestamp: 2 }],
  ])('tells %s apart', (_, one, other) => {
    const digestOf = (fields: object) => {
      const digest = new RecordDigest()
      digest.add({ timestamp: 0, key: null, value: 'v', ...fields })
      return digest.toString()
    }
    expect(digestOf(one)).toBe(digestOf({ ...one }))
    expect(digestOf(one)).not.toBe(digestOf(other))
  })

  it('takes text and its bytes as the same', () => {
    const [text, bytes] = [new RecordDigest(), new RecordDigest()]
    text.add({ timestamp: 5, key: 'ä', value: 'v' })
    bytes.add({ timestamp: 5n, key: Buffer.from('ä'), value: Buffer.from('v') })
    expect(bytes.toString()).toBe(text.toString())
  })
})
