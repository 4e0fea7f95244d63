/** What the documents point at is there, and the version is one. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { version } from '../../lib/index.js'
import { documents, root, textOf } from '../support/documents.js'

const LAYERS = 'base|backend|checkpoint|cleaner|cli|config|format|log|manager|segment'

it('the version that the package exports is that of package.json', () => {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  expect(version).toBe(manifest.version)
  expect(textOf('CHANGELOG.md')).toContain(version)
})

describe.each(documents)('%s', (document) => {
  const text = textOf(document)

  it('links to files that are there', () => {
    const targets = [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target)
    const local = targets.filter((target) => !/^[a-z]+:/.test(target))
    expect(local.filter((target) => !existsSync(join(root, dirname(document), target)))).toEqual([])
  })

  it('links to headings that are there', () => {
    const names = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, name = '']) => name)
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading))
    expect(names.filter((name) => !headings.includes(name))).toEqual([])
  })
})

it('ARCHITECTURE.md names files of lib/ that are there', () => {
  const text = textOf('ARCHITECTURE.md')
  const named = [...text.matchAll(new RegExp(`\`((?:${LAYERS})/[a-z0-9/-]+)(?:\\.ts)?\``, 'g'))]
  const paths = named.map(([, path = '']) => path)
  expect(paths.length).toBeGreaterThan(30)
  const missing = paths.filter((path) =>
    ['', '.ts'].every((ending) => !existsSync(join(root, 'lib', `${path}${ending}`))),
  )
  expect(missing).toEqual([])
})

/** As GitHub makes the name of a heading. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replace(/ /g, '-')
}
