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

const nothing = () => undefined

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
