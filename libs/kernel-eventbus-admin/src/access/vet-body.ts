import { problems } from '@kernel/http';

/**
 * A policy of 500 rules has 2,500 values, an endpoint with the maximum of subscriptions 11,000. Older rows may have
 * more.
 */
export const MAX_BODY_VALUES = 30_000;

/** Outside the payload and headers, no object of a request has names chosen by the caller. */
const MAX_MEMBERS = 1_000;

/** The only field that takes arbitrary JSON, up to its own limit. */
const FREE_FIELD = 'payload';

const { isArray } = Array;
const { hasOwn, keys } = Object;

/** Limits of a payload, the same as for `publish`. */
export interface PayloadLimits {
  maxPayloadBytes: number;
  maxPayloadDepth: number;
}

/** A container in the body. */
interface Place {
  container: object;
  /** Depth within the payload, starting at 1; 0 outside. */
  payloadDepth: number;
  parent?: Place;
  name: string | number;
}

/**
 * Refuses bodies that no route accepts, before schema validation: more values than any route needs, because a schema
 * reports an error for each; a payload beyond the limits of `publish`, as far as visible without serializing it; and a
 * member named `__proto__`, which JSON allows and objects drop, so it would be accepted and ignored. Not recursive,
 * because a body may be nested deeper than the stack.
 */
export function vetBody(body: unknown, { maxPayloadBytes, maxPayloadDepth }: PayloadLimits): void {
  if (typeof body !== 'object' || body === null) {
    return;
  }
  const open: Place[] = [{ container: body, payloadDepth: 0, name: '' }];
  let values = 0;
  let payloadBytes = 0;
  for (let place; (place = open.pop());) {
    const { container, payloadDepth } = place;
    if (!isArray(container) && hasOwn(container, '__proto__')) {
      throw problems.invalid(pathOf(place, '__proto__'), 'unknown field: nothing can be called so');
    }
    const names = isArray(container) ? undefined : keys(container);
    const count = names?.length ?? (container as unknown[]).length;
    if (payloadDepth === 0) {
      values += count;
    } else {
      // Minimum size of a member (`"":1,`) or an element (`1,`).
      payloadBytes += count * (names ? 5 : 2);
    }
    if (payloadDepth === 0 && names && count > MAX_MEMBERS) {
      throw problems.invalid(pathOf(place), `has ${count} fields; at most ${MAX_MEMBERS} are allowed`);
    }
    if (values > MAX_BODY_VALUES) {
      throw problems.invalid('', `the body has more than ${MAX_BODY_VALUES} values besides payload`);
    }
    if (payloadBytes > maxPayloadBytes) {
      throw problems.invalid(FREE_FIELD, `has more than ${maxPayloadBytes} bytes (option maxPayloadBytes)`);
    }
    if (payloadDepth > maxPayloadDepth) {
      throw problems.invalid(FREE_FIELD, `is nested deeper than ${maxPayloadDepth} (option maxPayloadDepth)`);
    }
    openMembers(place, names, open);
  }
}

/** Skips scalars. */
function openMembers(parent: Place, names: readonly string[] | undefined, open: Place[]): void {
  const { container, payloadDepth } = parent;
  if (!names) {
    (container as unknown[]).forEach((value, index) => {
      if (typeof value === 'object' && value !== null) {
        open.push({ container: value, payloadDepth: payloadDepth && payloadDepth + 1, parent, name: index });
      }
    });
    return;
  }
  for (const name of names) {
    const value = (container as Record<string, unknown>)[name];
    if (typeof value === 'object' && value !== null) {
      const isInPayload = payloadDepth > 0 || (!parent.parent && name === FREE_FIELD);
      open.push({ container: value, payloadDepth: isInPayload ? payloadDepth + 1 : 0, parent, name });
    }
  }
}

function pathOf(place: Place, ...below: string[]): string {
  const names: (string | number)[] = below;
  for (let at: Place = place; at.parent; at = at.parent) {
    names.push(at.name);
  }
  return names.reverse().join('.');
}
