import type { FieldSelector } from '@kernel/eventbus';

/** Paths like `customer.region`, for hosts that do not need JSONPath. */
export class DottedSelector implements FieldSelector {
  check(path: string): string | undefined {
    return /^\w+(\.\w+)*$/.test(path) ? undefined : `write the path like customer.region, not ${path}`;
  }

  select(payload: unknown, path: string): unknown[] {
    let value = payload;
    for (const name of path.split('.')) {
      if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
        return [];
      }
      value = (value as Record<string, unknown>)[name];
    }
    return [value];
  }
}
