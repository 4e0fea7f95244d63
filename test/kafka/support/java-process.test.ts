/** A Java process under test answers, tells its faults, and never keeps a test waiting. */
import { afterEach, expect, it } from 'vitest'
import { JavaProcess } from './java-process.js'

const started: JavaProcess[] = []

function start(mainClass: string): JavaProcess {
  const process = new JavaProcess(mainClass)
  started.push(process)
  return process
}

afterEach(async () => {
  for (const process of started.splice(0)) await process.close()
})

it('tells that the program could not be started, with its own words', async () => {
  await expect(start('NoSuchMain').ask({ op: 'open' })).rejects.toThrow(/ended with 1[\s\S]*NoSuchMain/)
})
