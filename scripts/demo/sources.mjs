/**
 * The two data sets, read from the installed package vega-datasets: no
 * network. Each gives its records in file order, and a time to look up with
 * the row that must be found, told from the file alone.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const DATA = join(dirname(fileURLToPath(import.meta.resolve('vega-datasets'))), '../data')
const HOUR_MS = 3_600_000
const FLIGHT_DAY_MS = Date.UTC(2001, 0, 1)
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/**
 * Monthly prices of five shares. The dates begin again with each symbol, so
 * the timestamps fall four times.
 */
export function readStocks() {
  const [, ...lines] = readFileSync(join(DATA, 'stocks.csv'), 'utf8').trimEnd().split(/\r?\n/)
  const records = lines.map((line) => {
    const [symbol, date] = line.split(',')
    return { key: symbol, value: line, timestamp: dateMs(date) }
  })
  const text = 'stocks.csv: key = symbol, value = the line, timestamp = the date'
  return { name: 'stocks-0', text, batchRecords: 20, records, lookUpMs: Date.UTC(2008, 5, 15) }
}

/** 200,000 flights of one day, by rising time; many share a minute. */
export function readFlights() {
  const rows = JSON.parse(readFileSync(join(DATA, 'flights-200k.json'), 'utf8'))
  const records = rows.map((row) => ({
    key: null,
    value: JSON.stringify(row),
    timestamp: FLIGHT_DAY_MS + Math.round(row.time * HOUR_MS),
  }))
  const text = 'flights-200k.json: no key, value = the row as JSON, timestamp = 2001-01-01 + its hours'
  return { name: 'flights-0', text, batchRecords: 500, records, lookUpMs: FLIGHT_DAY_MS + 12.5 * HOUR_MS }
}

/** Index of the first record in file order that is dated `ms` or later. */
export function firstFrom({ records }, ms) {
  return records.findIndex(({ timestamp }) => timestamp >= ms)
}

/** `Jan 1 2000` in UTC. */
function dateMs(text) {
  const [month, day, year] = text.split(' ')
  return Date.UTC(Number(year), MONTHS.indexOf(month), Number(day))
}
