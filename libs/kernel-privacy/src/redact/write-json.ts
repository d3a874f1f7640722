import { isContainer } from './copy-json.js';

/** Compact JSON as `JSON.stringify` writes it, for values that may be deeper than its stack allows. */
export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) {
      return writeDeepJson(value);
    }
    throw error;
  }
}

/** Remaining output: literal text, or a value to write. */
type Pending = string | { value: unknown };

/** The same without recursion. For JSON values only. */
export function writeDeepJson(root: unknown): string {
  const written: string[] = [];
  const pending: Pending[] = [{ value: root }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next === 'string') {
      written.push(next);
    } else if (isContainer(next.value)) {
      pushParts(next.value, pending);
    } else {
      written.push(JSON.stringify(next.value));
    }
  }
  return written.join('');
}

/** Pushed in reverse, because the stack pops the last part first. */
function pushParts(container: Record<string, unknown>, pending: Pending[]): void {
  const isArray = Array.isArray(container);
  const names = Object.keys(container);
  pending.push(isArray ? ']' : '}');
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const name = names[index]!;
    const label = isArray ? '' : `${JSON.stringify(name)}:`;
    pending.push({ value: container[name] }, index > 0 ? `,${label}` : label);
  }
  pending.push(isArray ? '[' : '{');
}
