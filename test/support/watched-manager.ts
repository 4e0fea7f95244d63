/** A manager in a time that a test moves, every step of which is written down. */
import type { LogManagerOptions } from '../../lib/manager/manager-options.js'
import { TestClock } from './machine.js'
import { type Told, testManager } from './manager.js'
import { RecordingMachine } from './recording-machine.js'
import { settling } from './settled.js'
import { swiftBackend } from './swift-backend.js'
import { telling } from './telling.js'
import { memoryDir } from './temp-dir.js'

/** A manager whose steps are written down; `pass` moves its time on and lets what came due end. */
export async function watchedManager(options: Partial<LogManagerOptions> = {}) {
  const directory = memoryDir()
  const clock = new TestClock()
  const machine = new RecordingMachine(directory, { clock, backend: swiftBackend() })
  const offline: Told[] = []
  const { logger, of } = telling()
  const { machine: counted, settled } = settling(machine)
  const manager = await testManager({ logDirs: [directory], machine: counted, offline, logger, ...options })
  const pass = async (ms: number): Promise<string[]> => {
    machine.taken()
    clock.advance(ms)
    await settled()
    return machine.taken()
  }
  return { directory, clock, machine, offline, of, manager, pass }
}
