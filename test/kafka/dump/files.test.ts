/** Both tools and the files they are given: names, missing ones, links, and that ours leaves all as it is. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openLog } from '../../../lib/index.js'
import { tempDir } from '../../support/temp-dir.js'
import { exceptionIn } from './support/compare.js'
import { golden } from './support/golden.js'
import { BACKENDS, differencesOf, KafkaDump, ourDump } from './support/tools.js'

const kafka = new KafkaDump()
afterAll(() => kafka.close())

const broker = join(golden, 'broker-4.4.0')
const FIRST = '00000000000000000000'

/** Names, sizes and times of all in a directory. */
function stateOf(directory: string) {
  return readdirSync(directory).map((name) => {
    const { size, mtimeMs, ctimeMs } = statSync(join(directory, name))
    return [name, size, mtimeMs, ctimeMs]
  })
}

describe('names', () => {
  it.each([
    'README',
    'notes.txt',
    `${FIRST}.log.bak`,
    `${FIRST}.LOG`,
    '.log.txt',
    'meta.properties',
    `${FIRST}.checkpoint.part`,
  ])('%s is no file of a log', async (name) => {
    const path = join(tempDir(), name)
    writeFileSync(path, 'text')
    expect(await differencesOf(kafka, path)).toEqual([])
  })

  it.each(['x.log', 'x.index', 'x.timeindex', '9223372036854775808.log', ' 1.log'])(
    '%s has no offset',
    async (name) => {
      const path = join(tempDir(), name)
      writeFileSync(path, '')
      expect(await differencesOf(kafka, path)).toEqual([])
    },
  )

  it.each(['7', '0000000000000000000000000000007', `${FIRST}.old`])(
    '%s.* begins with an offset',
    async (base) => {
      const directory = tempDir()
      for (const kind of ['log', 'index', 'timeindex'])
        cpSync(join(broker, `deleted-0/${FIRST}.${kind}`), join(directory, `${base}.${kind}`))
      // Siblings are named by what is before the first dot.
      const first = base.split('.')[0]
      for (const kind of ['log', 'index'])
        cpSync(join(broker, `deleted-0/${FIRST}.${kind}`), join(directory, `${first}.${kind}`))
      for (const kind of ['log', 'index', 'timeindex'])
        expect(await differencesOf(kafka, join(directory, `${base}.${kind}`))).toEqual([])
    },
  )

  it('of snapshots of a metadata log', async () => {
    const directory = tempDir()
    for (const name of ['bootstrap.checkpoint', '00000000000000000123-0000000007.checkpoint']) {
      const path = join(directory, name)
      cpSync(join(golden, `control/kraft-0/${FIRST}.log`), path)
      for (const flags of [[], ['--print-data-log']])
        expect(await differencesOf(kafka, path, flags)).toEqual([])
    }
  })

  it('are printed as Java has them', async () => {
    const path = join(broker, `deleted-0/${FIRST}.log`).replaceAll('/', '//')
    const theirs = await kafka.dump(['--files', path])
    for (const backend of BACKENDS) expect((await ourDump([path], backend)).stdout).toEqual(theirs.stdout)
  })
})

describe('files', () => {
  it.each(['log', 'index', 'timeindex', 'snapshot'])(
    'that are missing are told of and not made: .%s',
    async (kind) => {
      const path = join(tempDir(), `${FIRST}.${kind}`)
      // Kafka makes an index that it does not find; of ours there must be nothing, so it goes first.
      for (const backend of BACKENDS) {
        const { stderr, exitCode } = await ourDump([path], backend)
        expect({ stderr, exitCode }).toMatchObject({
          stderr: expect.stringMatching(/^plog: ERR_IO: open /),
          exitCode: 3,
        })
      }
      expect(readdirSync(join(path, '..'))).toEqual([])
      expect((await kafka.dump(['--files', path])).exitCode).toBe(1)
    },
  )

  it('without aborted transactions need not be there for Kafka', async () => {
    const path = join(tempDir(), `${FIRST}.txnindex`)
    const theirs = await kafka.dump(['--files', path])
    expect(theirs).toMatchObject({ exitCode: 0, stderr: '' })
    const ours = await ourDump([path], 'portable')
    expect(ours).toMatchObject({ exitCode: 3, stdout: theirs.stdout })
  })

  it('beside an index that is missing are not made', async () => {
    const directory = tempDir()
    for (const kind of ['log', 'timeindex'])
      cpSync(join(broker, `deleted-0/${FIRST}.${kind}`), join(directory, `${FIRST}.${kind}`))
    const path = join(directory, `${FIRST}.timeindex`)
    for (const backend of BACKENDS) expect((await ourDump([path], backend)).exitCode).toBe(3)
    expect(existsSync(join(directory, `${FIRST}.index`))).toBe(false)
    expect(exceptionIn(await kafka.dump(['--files', path]))).toBe('java.lang.IllegalArgumentException')
    expect(existsSync(join(directory, `${FIRST}.index`))).toBe(true)
  })

  it('of a directory that may not be written are dumped and left as they are', async () => {
    const directory = join(tempDir(), 'txn-0')
    cpSync(join(broker, 'txn-0'), directory, { recursive: true })
    for (const name of readdirSync(directory)) chmodSync(join(directory, name), 0o444)
    chmodSync(directory, 0o555)
    const before = stateOf(directory)
    const paths = readdirSync(directory).map((name) => join(directory, name))
    const dumped = paths.filter((path) => !/checkpoint|partition\.metadata/.test(path))
    for (const path of dumped)
      for (const backend of BACKENDS) {
        const { exitCode, stdout } = await ourDump(['--print-data-log', path], backend)
        expect({ path, exitCode }).toEqual({ path, exitCode: 0 })
        expect(stdout).toEqual((await kafka.dump(['--files', path, '--print-data-log'])).stdout)
      }
    expect(stateOf(directory)).toEqual(before)
    chmodSync(directory, 0o755)
  })

  it('that a writer has open are dumped and left as they are', async () => {
    const log = await openLog(join(tempDir(), 'live-0'), { config: { indexIntervalBytes: 0 } })
    for (let n = 0; n < 20; n++) log.append([{ value: `v${n}`, timestamp: 1_000 + n }])
    await log.flush()
    const before = stateOf(log.path)
    for (const kind of ['log', 'index', 'timeindex'])
      expect(await differencesOf(kafka, join(log.path, `${FIRST}.${kind}`), ['--deep-iteration'])).toEqual([])
    expect(stateOf(log.path)).toEqual(before)
    log.append([{ value: 'more' }])
    await log.close()
  })

  it('beside an index of more than is kept at once are dumped', async () => {
    const base = join(tempDir(), '00000000000000000099')
    for (const kind of ['log', 'index', 'timeindex'])
      cpSync(join(broker, `segments-0/00000000000000000099.${kind}`), `${base}.${kind}`)
    const real = readFileSync(`${base}.index`)
    const index = Buffer.alloc((16 << 20) + 80_000)
    real.copy(index)
    const [offset, position] = [real.readInt32BE(real.length - 8), real.readInt32BE(real.length - 4)]
    for (let at = real.length, n = 1; at < index.length; at += 8, n++) {
      index.writeInt32BE(offset + n, at)
      index.writeInt32BE(position, at + 4)
    }
    writeFileSync(`${base}.index`, index)
    expect(await differencesOf(kafka, `${base}.timeindex`)).toEqual([])
  })

  it('that are directories are wrong usage', async () => {
    const path = join(tempDir(), `${FIRST}.log`)
    mkdirSync(path)
    expect((await kafka.dump(['--files', path])).exitCode).toBe(1)
    for (const backend of BACKENDS) expect((await ourDump([path], backend)).exitCode).toBe(2)
  })

  it('are found through links', async () => {
    const path = join(tempDir(), `${FIRST}.log`)
    symlinkSync(join(broker, `deleted-0/${FIRST}.log`), path)
    expect(await differencesOf(kafka, path, ['--print-data-log'])).toEqual([])
  })
})
