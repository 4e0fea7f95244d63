/** What of a volume may be written between two measurements, and when the next one is made. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ioError } from '../../lib/errors.js'
import { Room } from '../../lib/manager/room.js'
import { DirectoryUsage } from '../../lib/manager/room-limits.js'
import { codeOf, errorFrom, rejection } from '../support/errors.js'
import { TestClock } from '../support/machine.js'
import { fcOptions } from '../support/random.js'

const MIB = 1024 * 1024

/** A volume whose measurements a test answers. */
class TestVolume {
  freeBytes: number
  measurements = 0
  failure: string | undefined
  #waiting: (() => void)[] = []
  /** Answers are held back until `answer`. */
  isSlow = false
  /** A measurement sees the free space as it is when it is asked for, and not when it is answered. */
  seesEarly = false

  constructor(freeBytes: number) {
    this.freeBytes = freeBytes
  }

  readonly files = {
    freeBytes: async (path: string): Promise<number> => {
      this.measurements++
      const { freeBytes } = this
      if (this.isSlow) await new Promise<void>((resolve) => this.#waiting.push(resolve))
      if (this.failure !== undefined) throw ioError('statfs', this.failure, path)
      return this.seesEarly ? freeBytes : this.freeBytes
    },
  }

  async answer(): Promise<void> {
    for (const resolve of this.#waiting.splice(0)) resolve()
    await settled()
  }
}

/** What was answered has been taken in. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

async function testRoom(freeBytes: number, minFreeBytes: number) {
  const volume = new TestVolume(freeBytes)
  const clock = new TestClock()
  const usage = new DirectoryUsage()
  const warnings: string[] = []
  const nothing = () => undefined
  const logger = {
    debug: nothing,
    info: nothing,
    warn: (_: object, text: string) => void warnings.push(text),
    error: nothing,
  }
  const limits = { minFreeBytes, maxTotalBytes: Number.POSITIVE_INFINITY }
  const room = await Room.open({ path: '/logs', usage, limits, files: volume.files, clock, logger })
  /** True where it was allowed, and is written then. */
  const append = (bytes: number, reserved = 0): boolean => {
    try {
      room.check(bytes, reserved, clock.nowMs())
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_NO_ROOM' })
      return false
    }
    room.took(bytes)
    room.reserved(reserved)
    volume.freeBytes -= bytes + reserved
    return true
  }
  return { volume, clock, usage, room, warnings, append }
}

describe('minFreeBytes', () => {
  test('0: the volume is never measured', async () => {
    const { volume, append, clock, room } = await testRoom(0, 0)
    for (let n = 0; n < 5; n++) {
      expect(append(100 * MIB)).toBe(true)
      clock.advance(5_000)
    }
    expect(volume.measurements).toBe(0)
    expect(room.stats()).toMatchObject({ freeBytes: null, minFreeBytes: null, maxTotalBytes: null })
  })

  test('holds to the byte without another measurement', async () => {
    const { append, volume } = await testRoom(1_000, 400)
    volume.isSlow = true
    expect(append(500)).toBe(true)
    expect(append(101)).toBe(false)
    expect(append(100)).toBe(true)
    expect(append(1)).toBe(false)
    expect(volume.freeBytes).toBe(400)
  })

  test('counts what a new file takes before anything is in it', async () => {
    const { append } = await testRoom(1_000, 400)
    expect(append(100, 501)).toBe(false)
    expect(append(100, 500)).toBe(true)
  })

  test('tells the limit, what is there, and what to do', async () => {
    const { append, room, clock } = await testRoom(1_000, 400)
    append(550)
    const error = errorFrom(() => room.check(51, 0, clock.nowMs()))
    expect(error).toMatchObject({ code: 'ERR_NO_ROOM', path: '/logs', expected: 400, actual: 450 })
    expect(error.message).toBe(
      'no room for 51 bytes: 450 bytes are free for /logs, and minFreeBytes is 400; ' +
        'free space on that volume, let retention take more, or lower minFreeBytes',
    )
  })

  test('is measured by the first append after a second, and not while nobody appends', async () => {
    const { append, volume, clock } = await testRoom(100 * MIB, 10)
    expect(volume.measurements).toBe(1)
    for (let ms = 0; ms < 999; ms += 333) {
      clock.advance(333)
      append(1)
    }
    expect(volume.measurements).toBe(1)
    clock.advance(1)
    append(1)
    expect(volume.measurements).toBe(2)
    await settled()
    clock.advance(60_000)
    await settled()
    expect(volume.measurements).toBe(2)
    append(1)
    append(1)
    expect(volume.measurements).toBe(3)
  })

  test('is measured again when the clock was set back', async () => {
    const { append, volume, clock } = await testRoom(100 * MIB, 10)
    clock.advance(-3_600_000)
    append(1)
    expect(volume.measurements).toBe(2)
  })

  test('is measured after every 16 MiB', async () => {
    const { append, volume } = await testRoom(1_000 * MIB, 10)
    for (let written = 0; written < 80; written += 4) {
      append(4 * MIB)
      await settled()
    }
    expect(volume.measurements).toBe(5)
  })

  test('sees what others take, with the next measurement', async () => {
    const { append, volume, clock } = await testRoom(1_000, 400)
    volume.freeBytes = 450
    clock.advance(1_000)
    expect(append(1)).toBe(true)
    await settled()
    expect(append(50)).toBe(false)
    expect(append(49)).toBe(true)
  })

  test('lets appends go on a second after others made room, with no append before that', async () => {
    const { append, volume, clock } = await testRoom(400, 400)
    expect(append(1)).toBe(false)
    for (let n = 0; n < 10; n++) {
      clock.advance(1_000)
      await settled()
    }
    expect(volume.measurements).toBe(11)
    volume.freeBytes = 500
    clock.advance(1_000)
    await settled()
    expect(append(100)).toBe(true)
  })

  test('no longer measures of itself once there is room', async () => {
    const { append, volume, clock } = await testRoom(400, 400)
    append(1)
    volume.freeBytes = 500
    for (let n = 0; n < 10; n++) {
      clock.advance(1_000)
      await settled()
    }
    expect(volume.measurements).toBe(2)
  })

  test('asks for at most one measurement in 50 ms while appends are refused', async () => {
    const { append, volume, clock } = await testRoom(400, 400)
    clock.advance(50)
    for (let n = 0; n < 100; n++) {
      expect(append(1)).toBe(false)
      await settled()
    }
    expect(volume.measurements).toBe(2)
  })

  test('is measured at once when files were removed and appends are refused', async () => {
    const { append, volume, room } = await testRoom(400, 400)
    room.found(100)
    room.gaveBack(10)
    expect(volume.measurements).toBe(1)
    expect(append(90)).toBe(false)
    volume.freeBytes += 90
    room.gaveBack(90)
    await settled()
    expect(append(90)).toBe(true)
  })

  test('is measured again where files were removed while it was measured', async () => {
    const { append, volume, room, clock } = await testRoom(400, 400)
    clock.advance(50)
    volume.isSlow = true
    expect(append(90)).toBe(false)
    room.found(100)
    room.gaveBack(100)
    await volume.answer()
    volume.freeBytes += 100
    await volume.answer()
    expect(append(90)).toBe(true)
  })

  test('keeps no process alive', async () => {
    const { append, clock } = await testRoom(400, 400)
    const asked: unknown[] = []
    const after = clock.after.bind(clock)
    clock.after = (delayMs: number, run: () => void, keepsProcess = false) => {
      asked.push([delayMs, keepsProcess])
      return after(delayMs, run)
    }
    expect(append(1)).toBe(false)
    expect(asked).toEqual([[1_000, false]])
  })

  test('is not measured any more once closed', async () => {
    const { append, volume, clock, room } = await testRoom(400, 400)
    append(1)
    room.close()
    clock.advance(5_000)
    await settled()
    expect(volume.measurements).toBe(1)
  })
})

describe('a measurement that fails', () => {
  test('is the failure of the opening, where it is the first', async () => {
    const volume = new TestVolume(1_000)
    volume.failure = 'EIO'
    const options = {
      path: '/logs',
      usage: new DirectoryUsage(),
      limits: { minFreeBytes: 1, maxTotalBytes: Number.POSITIVE_INFINITY },
      files: volume.files,
      clock: new TestClock(),
      logger: console,
    }
    expect(await rejection(() => Room.open(options))).toMatchObject({ code: 'ERR_IO', syscall: 'statfs' })
    options.limits.minFreeBytes = 0
    expect(await codeOf(() => Room.open(options).then(() => expect.fail('opened')))).toBe(undefined)
  })

  test('leaves the one before in force, is told once, and is tried again each second', async () => {
    const { append, volume, clock, warnings, room } = await testRoom(1_000, 400)
    volume.failure = 'EIO'
    for (let n = 0; n < 5; n++) {
      clock.advance(1_000)
      expect(append(100)).toBe(true)
      await settled()
    }
    expect(volume.measurements).toBe(6)
    expect(warnings).toEqual([
      'the free space of /logs cannot be measured, the last measurement goes on to count: statfs failed with EIO on /logs',
    ])
    expect(append(101)).toBe(false)
    const error = errorFrom(() => room.check(101, 0, clock.nowMs()))
    expect(error.message).toContain('500 bytes are free for /logs (0 ms ago it could not be measured)')
    expect(error.cause).toMatchObject({ syscall: 'statfs', errno: 'EIO' })
    volume.failure = undefined
    clock.advance(1_000)
    await settled()
    expect(append(100)).toBe(true)
    expect(errorFrom(() => room.check(1, 0, clock.nowMs())).message).not.toContain('measured')
  })
})

describe('whatever happens', () => {
  const steps = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ kind: fc.constant('append' as const), bytes: fc.nat(200) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), bytes: fc.nat(300) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), bytes: fc.nat(1_500) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('answer' as const), bytes: fc.constant(0) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('others free' as const), bytes: fc.nat(300) }) },
    ),
    { maxLength: 80 },
  )

  test('our own appends leave the limit free, and what fits is taken in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat(2_000),
        fc.nat(500),
        fc.boolean(),
        async (all, room0, min0, seesEarly) => {
          const minFreeBytes = min0 + 1
          const { append, volume, room, clock, usage } = await testRoom(minFreeBytes + room0, minFreeBytes)
          Object.assign(volume, { isSlow: true, seesEarly })
          for (const { kind, bytes } of all) {
            if (kind === 'append') append(bytes)
            else if (kind === 'wait') clock.advance(bytes)
            else if (kind === 'answer') await volume.answer()
            else if (kind === 'others free') volume.freeBytes += bytes
            else {
              const removed = Math.min(bytes, usage.sizeInBytes)
              volume.freeBytes += removed
              room.gaveBack(removed)
            }
            expect(volume.freeBytes).toBeGreaterThanOrEqual(minFreeBytes)
          }
          const rest = volume.freeBytes - minFreeBytes
          if (rest === 0) return
          volume.isSlow = false
          append(rest + 1)
          for (let n = 0; n < 3; n++) {
            clock.advance(1_000)
            await volume.answer()
          }
          expect(append(volume.freeBytes - minFreeBytes)).toBe(true)
          expect(append(1)).toBe(false)
        },
      ),
      fcOptions(200),
    )
  })
})
