/** A logger that keeps what it was told. */
import type { Logger } from '../../lib/base/logger.js'

export interface Telling {
  readonly logger: Logger
  /** `level text` of each line, in order. */
  readonly lines: string[]
  /** The texts of one level. */
  of(level: keyof Logger): string[]
}

export function telling(): Telling {
  const lines: string[] = []
  const at = (level: keyof Logger) => (_: object, text: string) => void lines.push(`${level} ${text}`)
  return {
    lines,
    logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
    of: (level) =>
      lines.filter((line) => line.startsWith(`${level} `)).map((line) => line.slice(level.length + 1)),
  }
}
