/** docs/settings.md lists every setting of lib/config as its tables have it, and no other. */
import { describe, expect, it } from 'vitest'
import { brokerNamesOf } from '../../lib/config/broker-names.js'
import { MANAGER_SETTINGS } from '../../lib/config/manager-settings.js'
import { LOG_SETTINGS } from '../../lib/config/settings.js'
import { textOf } from '../support/documents.js'
import { changeCell, defaultCell, valuesCell } from '../support/settings-tables.js'

const page = textOf('docs/settings.md')

/** The cells of the first table below a heading, without its head. */
function rowsBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const [own = ''] = section.split('\n## ')
  const [table = ''] = /(?:^\|.*\n)+/m.exec(own) ?? []
  const rows = table.trim().split('\n').slice(2)
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const code = (text: string) => `\`${text}\``

describe('docs/settings.md', () => {
  it('has the settings of a log, in the order of the table, with default, values and when a change counts', () => {
    const expected = LOG_SETTINGS.keys.map((key) => {
      const setting = LOG_SETTINGS.setting(key)
      return [code(setting.name), defaultCell(setting), valuesCell(setting), changeCell(setting)]
    })
    const rows = rowsBelow('Settings of a log')
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual(expected)
    for (const cells of rows) expect(cells).toEqual([...cells.slice(0, 4), expect.stringMatching(/\w/)])
  })

  it('has the settings of a manager, with key, default and values', () => {
    const expected = MANAGER_SETTINGS.keys.map((key) => {
      const setting = MANAGER_SETTINGS.setting(key)
      return [code(setting.name), code(key), defaultCell(setting), valuesCell(setting)]
    })
    const rows = rowsBelow('Settings of a manager')
    expect(rows.map((cells) => cells.slice(0, 4))).toEqual(expected)
    for (const cells of rows) expect(cells).toEqual([...cells.slice(0, 4), expect.stringMatching(/\w/)])
  })

  it("has a broker's names for the defaults of topics", () => {
    const named = LOG_SETTINGS.keys.filter((key) => brokerNamesOf(key).length > 0)
    expect(rowsBelow("From a broker's properties")).toEqual(
      named.map((key) => [
        code(LOG_SETTINGS.setting(key).name),
        brokerNamesOf(key).map(code).join(', then '),
      ]),
    )
  })
})
