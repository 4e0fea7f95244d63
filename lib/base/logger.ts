/**
 * Where the engine's words go: an interface that pino and its like satisfy.
 * Fields are for programs, the text is for an operator.
 */

export interface Logger {
  debug(fields: object, text: string): void
  info(fields: object, text: string): void
  warn(fields: object, text: string): void
  error(fields: object, text: string): void
}

/** `logger`, whose own faults reach nobody who only has something to tell: they are a warning of the process. */
export function forgiving(logger: Logger): Logger {
  const tell = (level: keyof Logger) => (fields: object, text: string) => {
    try {
      logger[level](fields, text)
    } catch (error) {
      process.emitWarning(`the logger threw: ${error}`)
    }
  }
  return { debug: tell('debug'), info: tell('info'), warn: tell('warn'), error: tell('error') }
}

const nothing = () => undefined

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
