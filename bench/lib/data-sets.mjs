/**
 * The data sets of a run, made by bench/data when the first row needs one and
 * removed after the last that does. Contenders only read them.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const folder = resolve(import.meta.dirname, '../data')

export class DataSets {
  #makers
  #above
  #size
  #uses
  /** By name, as promises. */
  #paths = {}

  /** `rows` are all that will be measured, each once. */
  static async open(above, size, rows) {
    const names = readdirSync(folder).filter((name) => name.endsWith('.mjs'))
    const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(folder, name)))))
    return new DataSets(Object.assign({}, ...modules.map(({ data }) => data ?? {})), above, size, rows)
  }

  constructor(makers, above, size, rows) {
    this.#makers = makers
    this.#above = above
    this.#size = size
    this.#uses = rows.flatMap((row) => row.data ?? [])
  }

  /** Name to path of what the row needs; makes what is not there yet. */
  async of(row, say) {
    const names = row.data ?? []
    const paths = []
    for (const name of names) {
      this.#paths[name] ??= this.#make(name, say)
      paths.push([name, await this.#paths[name]])
    }
    return Object.fromEntries(paths)
  }

  async #make(name, say) {
    if (this.#makers[name] === undefined) throw new Error(`there is no data set called ${name}`)
    say(`making ${name}`)
    const path = join(this.#above, name)
    await this.#makers[name](path, this.#size)
    return path
  }

  /** Removes what no later row needs. */
  release(row) {
    for (const name of row.data ?? []) {
      this.#uses.splice(this.#uses.indexOf(name), 1)
      if (this.#uses.includes(name) || this.#paths[name] === undefined) continue
      rmSync(join(this.#above, name), { recursive: true, force: true })
      delete this.#paths[name]
    }
  }
}
