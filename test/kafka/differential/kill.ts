/** What a killed process leaves, and damage to it: the same for every contender. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileName } from '../../../lib/segment/names.js'
import { tempDir } from '../../support/temp-dir.js'
import { LOG_NAME } from './contender.js'
import type { Operation, TailDamage } from './operation.js'

/** Keeps what lies in `directory` now, lets `close` do what it does, and puts back what was kept. */
export async function killed(directory: string, close: () => Promise<void>): Promise<void> {
  const kept = join(tempDir(), 'kept')
  cpSync(directory, kept, { recursive: true, preserveTimestamps: true })
  await close()
  rmSync(directory, { recursive: true })
  mkdirSync(directory)
  cpSync(kept, directory, { recursive: true, preserveTimestamps: true })
  rmSync(kept, { recursive: true })
  for (const name of readdirSync(directory)) if (name.startsWith('.lock')) rmSync(join(directory, name))
}

export function damageTail(directory: string, operation: Extract<Operation, { op: 'crash' }>): void {
  const { baseOffset, damage } = operation
  if (damage === null) return
  const path = join(directory, LOG_NAME, fileName(BigInt(baseOffset), 'log'))
  // Retention has taken it on the way.
  if (!existsSync(path)) return
  writeFileSync(path, damaged(readFileSync(path).subarray(0, damage.sizeInBytes), damage))
}

function damaged(bytes: Buffer, { kind, bytes: count }: TailDamage): Buffer {
  switch (kind) {
    case 'cut':
      return bytes.subarray(0, count)
    case 'flip': {
      const flipped = Buffer.from(bytes)
      flipped[count] = (flipped[count] as number) ^ 0x11
      return flipped
    }
    case 'zeros':
      return Buffer.concat([bytes, Buffer.alloc(count)])
    case 'copy':
      return Buffer.concat([bytes, bytes.subarray(0, count)])
  }
}
