/** The repository's documents as tests read them: their text and their fenced blocks. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

/** Paths of the documents, from the root. */
export const documents: readonly string[] = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
)

export function textOf(document: string): string {
  return readFileSync(join(root, document), 'utf8')
}

export interface FencedBlock {
  readonly document: string
  /** Line of the block's first line in the document, from 1. */
  readonly line: number
  readonly code: string
}

/** Blocks that open with exactly this word or words behind the fence, `js` or `sh run`. */
export function fencedBlocks(info: string): FencedBlock[] {
  return documents.flatMap((document) => {
    const text = textOf(document)
    return [...text.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)]
      .filter(([, found]) => found === info)
      .map(({ index, 2: code = '' }) => {
        return { document, line: text.slice(0, index).split('\n').length + 1, code }
      })
  })
}
