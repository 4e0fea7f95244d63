/** docs/errors.md lists every code, kind and class of lib/errors.ts, and no other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root, textOf } from '../support/documents.js'

const source = readFileSync(join(root, 'lib/errors.ts'), 'utf8')
const page = textOf('docs/errors.md')

/** Members of a union of texts, as the source has it. */
function membersOf(type: string): string[] {
  const [, union = ''] = new RegExp(`export type ${type} =([^;]*?)\\n\\n`).exec(source) ?? []
  return [...union.matchAll(/'([^']+)'/g)].map(([, member = '']) => member).sort()
}

/** What the first cells of the tables below a heading name, in backticks. */
function firstCells(heading: string): string[] {
  const [, section = ''] = page.split(heading)
  const [own = ''] = section.split('\n## ')
  return [...own.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell).sort()
}

describe('docs/errors.md', () => {
  it('lists every code, and none that is not there', () => {
    expect(membersOf('ErrorCode').length).toBeGreaterThan(20)
    expect(firstCells('\n## Codes')).toEqual(membersOf('ErrorCode'))
  })

  it('lists every kind of corruption', () => {
    expect(membersOf('CorruptionKind').length).toBeGreaterThan(4)
    expect(firstCells('\n## `ERR_CORRUPT`, by `kind`')).toEqual(membersOf('CorruptionKind'))
  })

  it('lists every class', () => {
    const classes = [...source.matchAll(/export class (\w+) extends/g)].map(([, name = '']) => name).sort()
    expect(classes.length).toBeGreaterThan(5)
    expect(firstCells('\n## Classes and fields')).toEqual(classes)
  })
})
