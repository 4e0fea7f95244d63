/** Which backend is chosen, and what is said about it, in copies of the package. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import { loadBackend } from '../../lib/backend/load.js'
import { prove } from '../../lib/backend/native/find-addon.js'
import { layoutFingerprint } from '../../lib/backend/native/fingerprint.js'
import { nativeUnderTest } from '../support/native.js'
import { tempDir } from '../support/temp-dir.js'

const root = resolve(import.meta.dirname, '../..')
const native = nativeUnderTest()
const BUILT = 'build/Release/partition_log.node'
const PREBUILT = `prebuilds/${process.platform}-${process.arch}/partition-log.node`

/** The package as it is installed, without a binary. */
function packageCopy(): string {
  const copy = join(tempDir(), 'partition-log')
  for (const name of ['dist', 'native', 'binding.gyp', 'package.json', 'scripts/native-hash.cjs']) {
    mkdirSync(dirname(join(copy, name)), { recursive: true })
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** A copy with this tree's binary at `path`. */
function withBinary(path = BUILT): string {
  const copy = packageCopy()
  addBinary(copy, path)
  return copy
}

function addBinary(copy: string, path: string): void {
  const file = sharedObject()
  mkdirSync(dirname(join(copy, path)), { recursive: true })
  cpSync(file, join(copy, path))
}

/** The file that this very process has loaded. */
function sharedObject(): string {
  const { sharedObjects } = process.report.getReport() as unknown as { sharedObjects: string[] }
  return (
    sharedObjects.find((path) => path.endsWith('.node') && path.startsWith(root)) ?? expect.fail('no addon')
  )
}

function makeStale(copy: string): void {
  appendFileSync(join(copy, 'native/core/bytes.h'), '// changed\n')
}

interface Loaded {
  readonly name?: string
  readonly reason?: string
  readonly code?: string
  readonly message?: string
  readonly warnings: string[]
}

/** Loads a backend of the copy in a process of its own. */
function load(copy: string, name?: string, env: Record<string, string> = {}): Loaded {
  const code = `
    import { loadBackend } from ${JSON.stringify(pathToFileURL(join(copy, 'dist/backend/load.js')).href)}
    const warnings = []
    process.on('warning', ({ message }) => warnings.push(message))
    let answer
    try {
      const { backend, reason } = loadBackend(${name === undefined ? '' : JSON.stringify(name)})
      loadBackend()
      answer = { name: backend.name, reason }
    } catch ({ code, message }) {
      answer = { code, message }
    }
    setImmediate(() => console.log(JSON.stringify({ ...answer, warnings })))`
  const clean = { ...process.env, PREBUILDS_ONLY: '', PARTITION_LOG_BACKEND: '', PARTITION_LOG_PREBUILD: '' }
  const args = ['--no-warnings', '--input-type=module', '--eval', code]
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    env: { ...clean, ...env },
  })
  expect(stderr).toBe('')
  return JSON.parse(stdout) as Loaded
}

describe('the choice of a backend', () => {
  test('without a binary it is portable, quietly', () => {
    const loaded = load(packageCopy())
    const reason = `there is no binary for ${process.platform}-${process.arch}`
    expect(loaded).toEqual({ name: 'portable', reason, warnings: [] })
  })

  test('native that is asked for and not there is an error that says why', () => {
    const copy = packageCopy()
    for (const loaded of [load(copy, 'native'), load(copy, undefined, { PARTITION_LOG_BACKEND: 'native' })]) {
      expect(loaded.code).toBe('ERR_BACKEND_UNAVAILABLE')
      expect(loaded.message).toContain('there is no binary for')
    }
  })

  test('a binary that does not load gives portable and one warning with the remedy', () => {
    const copy = packageCopy()
    const hash = spawnSync(process.execPath, [join(copy, 'scripts/native-hash.cjs')], {
      encoding: 'utf8',
    }).stdout
    mkdirSync(join(copy, 'build/Release'), { recursive: true })
    writeFileSync(join(copy, BUILT), `garbage PARTITION_LOG_SOURCE_HASH=${hash}`)
    const loaded = load(copy)
    expect(loaded).toMatchObject({
      name: 'portable',
      reason: expect.stringContaining(`${BUILT} does not load`),
    })
    expect(loaded.warnings).toHaveLength(1)
    expect(loaded.warnings[0]).toContain('npm rebuild partition-log')
    expect(load(copy, 'native')).toMatchObject({ code: 'ERR_BACKEND_UNAVAILABLE', warnings: [] })
  })

  test('a variable with another value is refused', () => {
    const loaded = load(packageCopy(), undefined, { PARTITION_LOG_BACKEND: 'fast' })
    expect(loaded).toMatchObject({ code: 'ERR_CONFIG_INVALID' })
  })

  test('the same backend is answered each time', () => {
    expect(loadBackend('portable')).toBe(loadBackend('portable'))
    expect(loadBackend('portable')).toMatchObject({ backend: { name: 'portable' }, reason: 'asked for' })
  })
})

describe.skipIf(native === undefined)('the choice of a binary', () => {
  test('a current one is used', () => {
    const copy = withBinary()
    expect(load(copy)).toEqual({ name: 'native', reason: BUILT, warnings: [] })
    const portable = { name: 'portable', reason: 'asked for', warnings: [] }
    expect(load(copy, 'portable')).toEqual(portable)
    expect(load(copy, undefined, { PARTITION_LOG_BACKEND: 'portable' })).toEqual(portable)
  })

  test('one that was made from other sources is passed over', () => {
    const copy = withBinary()
    makeStale(copy)
    const reason = `${BUILT} was made from other sources than those in native/`
    expect(load(copy)).toEqual({ name: 'portable', reason, warnings: [] })
    expect(load(copy, 'native')).toMatchObject({ code: 'ERR_BACKEND_UNAVAILABLE' })
    expect(load(copy, 'native').message).toContain(reason)
  })

  test('line ends of a checkout do not count', () => {
    const copy = withBinary()
    const path = join(copy, 'native/core/bytes.h')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
    expect(load(copy).name).toBe('native')
  })

  test('a stale build does not hide the shipped one', () => {
    const copy = withBinary(PREBUILT)
    mkdirSync(join(copy, 'build/Release'), { recursive: true })
    writeFileSync(join(copy, BUILT), `PARTITION_LOG_SOURCE_HASH=${'0'.repeat(64)}`)
    expect(load(copy)).toEqual({ name: 'native', reason: PREBUILT, warnings: [] })
  })

  test('PREBUILDS_ONLY leaves out what was compiled here', () => {
    const copy = withBinary()
    expect(load(copy, undefined, { PREBUILDS_ONLY: '1' }).name).toBe('portable')
    addBinary(copy, PREBUILT)
    expect(load(copy, undefined, { PREBUILDS_ONLY: '1' })).toMatchObject({ name: 'native', reason: PREBUILT })
  })

  test('known fault 199: a file for another libc is none', () => {
    const copy = withBinary(PREBUILT.replace('.node', '.musl.node'))
    expect(load(copy, undefined, { LIBC: 'glibc' }).name).toBe('portable')
  })

  test('without the sources nothing is compared', () => {
    const copy = withBinary()
    makeStale(copy)
    rmSync(join(copy, 'native'), { recursive: true })
    expect(load(copy).name).toBe('native')
  })

  test('the hash does not depend on the current folder', () => {
    const hash = (cwd: string) =>
      spawnSync(process.execPath, [join(root, 'scripts/native-hash.cjs')], {
        cwd,
        encoding: 'utf8',
      }).stdout.trim()
    expect(hash(tempDir())).toBe(hash(root))
    expect(hash(root)).toBe(native?.addon.sourceHash)
  })

  test('known fault 200: an addon has to prove itself', () => {
    const { addon } = native ?? expect.fail('no addon')
    const honest = {
      sourceHash: addon.sourceHash,
      layoutFingerprint: layoutFingerprint(),
      crc32c: addon.crc32c,
    }
    const proveWith = (changes: object) => prove({ ...addon, ...honest, ...changes }, addon.sourceHash)
    expect(proveWith({})).toMatchObject(honest)
    expect(() => proveWith({ sourceHash: '00' })).toThrow('source hash')
    expect(() => proveWith({ layoutFingerprint: 'baseOffset=1' })).toThrow('layout')
    expect(() => proveWith({ crc32c: () => 1 })).toThrow('CRC-32C is wrong: 0x1')
  })
})
