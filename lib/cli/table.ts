/**
 * Tables for people: plain columns, a bold head on a terminal, no frame.
 */

import Table from 'cli-table3'
import type { Context } from './context.js'

export interface Column {
  readonly name: string
  readonly align?: 'left' | 'right'
}

const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
}

/** The rows below their columns' names, without trailing blanks. */
export function renderTable(context: Context, columns: readonly Column[], rows: readonly string[][]): string {
  const table = new Table({
    head: columns.map(({ name }) => context.colors.bold(name)),
    colAligns: columns.map(({ align }) => align ?? 'right'),
    chars: NO_FRAME,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  })
  table.push(...rows.map((row) => [...row]))
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
}

/** A timestamp in ms as an ISO date; a dash where there is none. */
export function showTime(timestampMs: bigint): string {
  if (timestampMs < 0n) return '-'
  const date = new Date(Number(timestampMs))
  return Number.isNaN(date.getTime()) ? timestampMs.toString() : date.toISOString()
}
