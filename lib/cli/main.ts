#!/usr/bin/env node
/**
 * The bin `plog`: one run with this process's arguments and streams.
 */

import { processIo } from './io.js'
import { runPlog } from './program.js'

process.exitCode = await runPlog(process.argv.slice(2), processIo)
