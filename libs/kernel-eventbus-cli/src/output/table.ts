import { toPlainText } from './plain-text.js';

/** Field to heading: `{ status: 'STATUS' }` shows `row.status` under STATUS. */
export type Columns = Record<string, string>;

const MAX_WIDTH = 60;

export function renderTable(rows: Record<string, unknown>[], columns: Columns): string {
  const lines = [Object.values(columns), ...rows.map((row) => Object.keys(columns).map((field) => cell(row[field])))];
  const widths = Object.keys(columns).map((_, place) => Math.max(...lines.map((line) => line[place]!.length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((text, place) => text.padEnd(widths[place]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** One field per line, not truncated. */
export function renderRecord(record: Record<string, unknown>): string {
  const width = Math.max(...Object.keys(record).map((field) => field.length));
  return Object.entries(record)
    .map(([field, value]) => `${field.padEnd(width)}  ${toPlainText(value)}`.trimEnd() + '\n')
    .join('');
}

function cell(value: unknown): string {
  const list = Array.isArray(value) ? value.join(', ') : value;
  const text = toPlainText(list);
  return text.length > MAX_WIDTH ? `${text.slice(0, MAX_WIDTH - 1)}…` : text;
}
