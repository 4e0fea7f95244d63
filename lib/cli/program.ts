/**
 * The command `plog`: its commands, and how a run ends. Nothing here touches
 * the process, so that a run can be tried in a test.
 */

import { Command, CommanderError } from 'commander'
import { version } from '../base/version.js'
import { appendCommand } from './append.js'
import { cleanCommand } from './clean.js'
import { Context } from './context.js'
import { deleteRecordsCommand } from './delete-records.js'
import { dumpCommand } from './dump.js'
import { explainCommand } from './explain.js'
import { describeFailure, EXIT, exitCodeOf } from './failure.js'
import type { CliIo } from './io.js'
import { lookupCommand } from './lookup.js'
import { lsCommand } from './ls.js'
import { offsetsCommand } from './offsets.js'
import { ReaderGone } from './output.js'
import { readCommand } from './read.js'
import { recoverCommand } from './recover.js'
import { retainCommand } from './retain.js'
import { transactionsCommand } from './transactions.js'
import { verifyCommand } from './verify.js'

const COMMANDS = [
  appendCommand,
  readCommand,
  lookupCommand,
  lsCommand,
  offsetsCommand,
  explainCommand,
  retainCommand,
  cleanCommand,
  deleteRecordsCommand,
  verifyCommand,
  recoverCommand,
  transactionsCommand,
  dumpCommand,
]

/** Runs `plog` with `args` (without the program's own name); gives the exit code. */
export async function runPlog(args: readonly string[], io: CliIo): Promise<number> {
  const context = new Context(io, asksForJson(args))
  try {
    await buildProgram(context).parseAsync(args, { from: 'user' })
    await context.out.end()
    return context.exitCode
  } catch (error) {
    if (error instanceof ReaderGone) return EXIT.fine
    return fail(context, error)
  }
}

async function fail(context: Context, error: unknown): Promise<number> {
  // What was printed before the failure is part of the answer.
  await context.out.end().catch(() => undefined)
  const told = error instanceof CommanderError && (!context.json || error.exitCode === 0)
  if (!told) context.io.stderr.write(describeFailure(error, context.json))
  return exitCodeOf(error)
}

function buildProgram(context: Context): Command {
  const program = new Command('plog')
    .description('Append to, read and inspect partition logs in the file format of Apache Kafka')
    .version(version, '--version', 'print the version')
    .helpCommand(false)
  for (const define of COMMANDS) program.addCommand(define(context))
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .helpOption('--help', 'print how this command is used')
      .showHelpAfterError('(add --help to see how it is used)')
      .configureOutput(textOutput(context))
  }
  return program
}

function textOutput({ io, out, json }: Context) {
  return {
    writeOut: (text: string) => void out.write(text),
    writeErr: (text: string) => {
      if (!json) io.stderr.write(text)
    },
    outputError: (text: string, write: (text: string) => void) =>
      write(text.replace(/^error: /, 'plog: ERR_USAGE: ')),
  }
}

/** Parsing may fail before commander has seen the flag. */
function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  return (end === -1 ? args : args.slice(0, end)).includes('--json')
}
