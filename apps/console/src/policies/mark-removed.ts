export interface PayloadLine {
  text: string;
  isRemoved: boolean;
}

/** JSON by lines, marking those at or below a removed path. Array elements match `[*]`. */
export function markRemoved(payload: unknown, removed: readonly string[]): PayloadLine[] {
  const paths = new Set(removed.map(toAny));
  const lines: PayloadLine[] = [];
  write(payload, '$', '', '', false);
  return lines;

  function write(value: unknown, path: string, indent: string, before: string, isInside: boolean, comma = ''): void {
    const isRemoved = isInside || paths.has(path);
    const entries = entriesOf(value, path);
    const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
    if (entries === undefined || entries.length === 0) {
      const text = entries ? open + close : JSON.stringify(value);
      lines.push({ text: `${indent}${before}${text}${comma}`, isRemoved });
      return;
    }
    lines.push({ text: `${indent}${before}${open}`, isRemoved });
    entries.forEach(([label, child, childPath], index) =>
      write(child, childPath, `${indent}  `, label, isRemoved, index < entries.length - 1 ? ',' : ''),
    );
    lines.push({ text: `${indent}${close}${comma}`, isRemoved });
  }
}

function entriesOf(value: unknown, path: string): [label: string, child: unknown, path: string][] | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value.map((child: unknown) => ['', child, `${path}[*]`]);
  return Object.entries(value).map(([name, child]) => [`${JSON.stringify(name)}: `, child, path + toStep(name)]);
}

function toStep(name: string): string {
  return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name)
    ? `.${name}`
    : `['${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}']`;
}

function toAny(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]');
}
