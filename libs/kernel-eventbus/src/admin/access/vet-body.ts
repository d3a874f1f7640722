import { problems } from '../../http/problem.exception.js';

/** A policy of 500 rules has 2,500 values, an endpoint with all that it may subscribe to 11,000; some have more from before. */
export const MAX_BODY_VALUES = 30_000;

/** No object of a request but a payload has names of the caller's own, headers aside. */
const MAX_MEMBERS = 1_000;

/** The one field that takes JSON of any form, up to a limit of its own. */
const FREE_FIELD = 'payload';

const { isArray } = Array;
const { hasOwn, keys } = Object;

/** What a payload may have at most, as for `publish`. */
export interface PayloadLimits {
  maxPayloadBytes: number;
  maxPayloadDepth: number;
}

/** A container in the body. */
interface Place {
  container: object;
  /** Levels of the payload above and with it; 0 outside of it. */
  payloadDepth: number;
  parent?: Place;
  name: string | number;
}

/**
 * Refuses what no route takes, before any schema looks at it: more values than any route needs, because schemas tell of each what is
 * wrong with it; a payload that nobody could publish, as far as that is seen without writing it; and a member called `__proto__`,
 * because JSON has such names and objects drop them, so that it would be accepted and ignored. Without recursion, for bodies may be
 * nested deeper than the stack is.
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
      // The least that a member (`"":1,`) or an element (`1,`) takes.
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

/** Scalars are not opened. */
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
