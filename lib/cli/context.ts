/**
 * What every command shares: its streams, the flags that all commands take,
 * and the frame in which a command runs.
 */

import { Command, Option } from 'commander'
import pc from 'picocolors'
import type { BackendName } from '../backend/contract.js'
import { type CliIo, isTerminal } from './io.js'
import { Output } from './output.js'

/** Flags that every command takes. */
export interface CommonFlags {
  readonly json?: boolean
  readonly backend?: BackendName
}

export class Context {
  readonly io: CliIo
  readonly out: Output
  /** What the process ends with unless a command throws. */
  exitCode = 0
  /** Whether `--json` was given; known before the arguments are parsed, so that errors of parsing follow it. */
  readonly json: boolean

  constructor(io: CliIo, json: boolean) {
    this.io = io
    this.json = json
    this.out = new Output(io.stdout)
    // Messages are lost where nobody reads them; that is no failure of the command.
    io.stderr.on('error', () => undefined)
  }

  /** A line for the user beside the output. */
  tell(text: string): void {
    this.io.stderr.write(`${text}\n`)
  }

  /** Colours for stdout; none unless it is a terminal, or with NO_COLOR. */
  get colors(): ReturnType<typeof pc.createColors> {
    const { NO_COLOR } = this.io.env
    return pc.createColors(isTerminal(this.io.stdout) && (NO_COLOR === undefined || NO_COLOR === ''))
  }
}

/** A command of `program` with the flags that all of them take. */
export function defineCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .addOption(new Option('--json', 'print JSON, or JSON lines, on stdout'))
    .addOption(
      new Option('--backend <name>', 'which implementation does the file work').choices([
        'native',
        'portable',
      ]),
    )
}

/** Lines for the end of `--help`. */
export function examples(...lines: readonly string[]): string {
  return ['', lines.length === 1 ? 'Example:' : 'Examples:', ...lines.map((line) => `  ${line}`)].join('\n')
}

/** The options that open a log to read it: no lock, nothing written. */
export function readOnlyOptions({ backend }: CommonFlags) {
  return { readOnly: true, create: false, ...(backend === undefined ? {} : { backend }) } as const
}
