import type { ComponentChildren } from 'preact';

export interface Column<T> {
  label: string;
  /** Numbers are aligned right. */
  isNumber?: boolean;
  /** Hidden on a phone. */
  isMinor?: boolean;
  cell: (row: T) => ComponentChildren;
}

interface DataTableProps<T> {
  /** For screen readers. */
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** True for rows that just arrived. */
  isFresh?: (row: T) => boolean;
}

/** A table; on a phone each row is a card with its own labels. A link of class `row-link` covers its whole row. */
export function DataTable<T>({ label, columns, rows, keyOf, isFresh }: DataTableProps<T>) {
  return (
    <div class="table-frame">
      <table class="data-table">
        <caption class="visually-hidden">{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} scope="col" class={looksOf(column)}>
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} class={isFresh?.(row) ? 'is-fresh' : undefined}>
              {columns.map((column) => (
                <td key={column.label} data-label={column.label} class={looksOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function looksOf<T>({ isNumber, isMinor }: Column<T>): string {
  return `${isNumber ? 'is-number' : ''} ${isMinor ? 'is-minor' : ''}`;
}
