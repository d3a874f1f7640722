type Scalar = string | number | boolean | null | undefined;

/**
 * PostgreSQL arrays as text. `pg` would write them too, but escapes every element twice, which was a tenth of a worker's
 * time. A column that holds nothing at all becomes an empty array, which `unnest` fills up beside longer ones.
 */
export function columnsOf<Row extends object>(rows: readonly Row[]) {
  return {
    /** Of ids, numbers, times and words of our own, which need no quotes. */
    plain: <Key extends keyof Row>(key: Key): string => plainArray(rows.map((row) => row[key] as Scalar)),
    /** Of anything. */
    text: <Key extends keyof Row>(key: Key): string =>
      textArray(rows.map((row) => row[key] as string | null | undefined)),
  };
}

export function plainArray(values: readonly Scalar[]): string {
  return write(values, String);
}

export function textArray(values: readonly (string | null | undefined)[]): string {
  return write(values, quoted);
}

function write<T extends Scalar>(values: readonly T[], toText: (value: NonNullable<T>) => string): string {
  let text = '';
  let isEmpty = true;
  for (const value of values) {
    if (value === null || value === undefined) {
      text += ',NULL';
    } else {
      isEmpty = false;
      text += `,${toText(value)}`;
    }
  }
  return isEmpty ? '{}' : `{${text.slice(1)}}`;
}

function quoted(value: string): string {
  return value.includes('"') || value.includes('\\') ? `"${value.replace(/[\\"]/g, '\\$&')}"` : `"${value}"`;
}
