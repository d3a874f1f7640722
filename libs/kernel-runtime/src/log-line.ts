import { inspect } from 'node:util';

const TEXT = { breakLength: Infinity, compact: true, depth: 6, maxStringLength: 1_000 } as const;

/** The fields of a log line: an object for structured loggers, one line of text for those that print objects. */
class LogLine {
  constructor(fields: { msg: string }) {
    Object.assign(this, fields);
  }

  [inspect.custom](): string {
    const { msg, ...fields } = this as unknown as { msg: string } & Record<string, unknown>;
    const told = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    return [msg, ...told.map(([name, value]) => `${name}=${textOf(value)}`)].join(' ');
  }
}

/** Quotes and escapes what is not a plain word: an event type could otherwise add fields or lines. */
function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return /^[\w.:@/-]+$/.test(value) ? value : JSON.stringify(value.slice(0, TEXT.maxStringLength));
  }
  return inspect(value, TEXT).replaceAll('\n', ' ');
}

/** Nest's own logger prints a plain object over a dozen lines, so log lines of frequent facts are not plain objects. */
export function logLine<Fields extends { msg: string }>(fields: Fields): Readonly<Fields> {
  return new LogLine(fields) as unknown as Fields;
}
