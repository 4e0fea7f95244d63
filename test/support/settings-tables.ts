/** What tables of docs/settings.md must say of a setting, worked out from the tables of lib/config. */
import { formatSetting, type Setting } from '../../lib/config/setting.js'

export function defaultCell(setting: Setting): string {
  const text = formatSetting(setting, setting.fallback)
  return text === '' ? 'empty' : `\`${text}\``
}

export function valuesCell(setting: Setting): string {
  switch (setting.type) {
    case 'boolean':
      return '`true`, `false`'
    case 'enum':
      return codes(setting.values)
    case 'list':
      return setting.values === undefined
        ? `list of ${setting.pattern?.text}`
        : `list of ${codes(setting.values)}`
    default: {
      const { min, max, except = [] } = setting
      const range = max === undefined ? `from ${min}` : `${min} to ${max}`
      return min === undefined ? 'any' : [range, ...except.map((value) => `not ${value}`)].join(', ')
    }
  }
}

export function changeCell({ applies }: Setting): string {
  if (applies === undefined) return 'at once'
  return applies === 'nowhere' ? 'never' : applies
}

function codes(values: readonly string[]): string {
  return values.map((value) => `\`${value}\``).join(', ')
}
