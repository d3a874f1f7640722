type Scalar = string | number | boolean | null | undefined;

/**
 * PostgreSQL array literals. `pg` can write them too, but escapes every element twice, which took a tenth of a worker's
 * time. A column without any value becomes an empty array, which `unnest` pads to the length of the others.
 */
export function columnsOf<Row extends object>(rows: readonly Row[]) {
  return {
    /** For ids, numbers, times and fixed words, which need no quotes. */
    plain: <Key extends keyof Row>(key: Key): string => write(rows, (row) => row[key] as Scalar, String),
    /** For any text. */
    text: <Key extends keyof Row>(key: Key): string =>
      write(rows, (row) => row[key] as string | null | undefined, quoted),
  };
}

export function plainArray(values: readonly Scalar[]): string {
  return write(values, (value) => value, String);
}

export function textArray(values: readonly (string | null | undefined)[]): string {
  return write(values, (value) => value, quoted);
}

function write<Item, T extends Scalar>(
  items: readonly Item[],
  valueOf: (item: Item) => T,
  toText: (value: NonNullable<T>) => string,
): string {
  let text = '';
  let isEmpty = true;
  for (const item of items) {
    const value = valueOf(item);
    if (value === null || value === undefined) {
      text += ',NULL';
    } else {
      isEmpty = false;
      text += `,${toText(value)}`;
    }
  }
  return isEmpty ? '{}' : `{${text.slice(1)}}`;
}

/** Characters that JSON and array literals escape differently: control characters and lone surrogates. */
const ESCAPED_OTHERWISE = /[\p{Cc}\p{Cs}]/u;

/** Uses the native JSON writer where both escape the same way, for speed: payloads contain many quotes. */
function quoted(value: string): string {
  return ESCAPED_OTHERWISE.test(value) ? `"${value.replace(/[\\"]/g, '\\$&')}"` : JSON.stringify(value);
}
