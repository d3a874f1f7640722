import { quoteInput } from '@kernel/privacy';
import { z } from 'zod';
import { isStorableText } from '../envelope/canonical-json.js';
import {
  MAX_LIST_VALUES,
  MAX_PATH_LENGTH,
  MAX_PREDICATES,
  MAX_SUBSCRIPTIONS,
  MAX_VALUE_LENGTH,
  tooMany,
} from './subscription-limits.js';

export const PREDICATE_OPERATORS = ['equals', 'not-equals', 'in', 'greater', 'less', 'exists', 'starts-with'] as const;

const NOT_STORABLE = 'contains a NUL character or half a surrogate pair, which no stored payload has';

const Path = z
  .string()
  .min(1)
  .max(MAX_PATH_LENGTH, atMost(MAX_PATH_LENGTH, 'characters'))
  .refine(isStorableText, NOT_STORABLE)
  .meta({ description: 'which field of the payload, e.g. $.region, $.lines[*].sku', example: '$.region' });
const Prefix = z
  .string({ error: `starts-with takes a string of 1 to ${MAX_VALUE_LENGTH} characters` })
  .min(1)
  .max(MAX_VALUE_LENGTH, atMost(MAX_VALUE_LENGTH, 'characters'))
  .refine(isStorableText, NOT_STORABLE)
  .meta({ description: 'strings that begin with it match, case-sensitive; nothing else does' });
type Scalar = string | number | boolean;

const SCALAR = `give a string (at most ${MAX_VALUE_LENGTH} characters, no NUL), a number, true or false`;
/** Not `z.union`, which takes microseconds per value: lists have thousands of them. */
const AnyScalar: z.ZodType<Scalar> = z
  .any()
  .meta({ anyOf: [{ type: 'string', maxLength: MAX_VALUE_LENGTH }, { type: 'number' }, { type: 'boolean' }] });

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string'
    ? value.length <= MAX_VALUE_LENGTH && isStorableText(value)
    : typeof value === 'boolean' || Number.isFinite(value);
}

/** One comparison. The field selector, which the host may replace, checks the path; the value is checked here. */
export const Predicate = z.discriminatedUnion(
  'operator',
  [
    z.strictObject({
      path: Path,
      operator: z.enum(['equals', 'not-equals']),
      value: AnyScalar.refine(isScalar, SCALAR).meta({
        description: 'scalars are compared as strings: 5 equals "5"; objects, arrays and null never do',
      }),
    }),
    z.strictObject({
      path: Path,
      operator: z.literal('in'),
      value: z
        .array(AnyScalar, { error: `in takes a list of 1 to ${MAX_LIST_VALUES} strings, numbers, true or false` })
        .min(1)
        .max(MAX_LIST_VALUES, atMost(MAX_LIST_VALUES, 'values'))
        .superRefine(refuseOthers)
        .meta({ description: 'one of them has to be equal' }),
    }),
    z.strictObject({
      path: Path,
      operator: z.enum(['greater', 'less']),
      value: z
        .number({ error: 'greater and less take a number' })
        .meta({ description: 'numbers are compared with it; anything else does not match' }),
    }),
    z.strictObject({
      path: Path,
      operator: z.literal('exists'),
      value: z
        .boolean({ error: 'exists takes true or false, or nothing, which means true' })
        .meta({ description: 'whether the field has to be there, be it null, or has to be missing' })
        .default(true),
    }),
    z.strictObject({ path: Path, operator: z.literal('starts-with'), value: Prefix }),
  ],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? `${quoteInput((input as { operator?: unknown }).operator)} is no operator: use one of ${PREDICATE_OPERATORS.join(', ')}`
        : undefined,
  },
);
export type Predicate = z.infer<typeof Predicate>;
export type PredicateOperator = Predicate['operator'];

/** FR-005: the events of one type that an endpoint wants. Predicates require `match`; without any, all events match. */
export const Subscription = z
  .strictObject({
    type: z
      .string()
      .min(1)
      .max(160)
      .meta({ description: 'one of the subscribed types, exactly as it is written there' }),
    match: z
      .enum(['all', 'any'])
      .optional()
      .meta({ description: 'whether all predicates have to match or any one; required when there are predicates' }),
    predicates: z
      .array(Predicate)
      .max(MAX_PREDICATES, atMost(MAX_PREDICATES, 'predicates'))
      .meta({
        description:
          'comparisons with the payload as it was published; where a path names several values one is enough, and a missing ' +
          'field matches nothing but exists false. None: every event of the type matches, whatever match says',
      })
      .default([]),
  })
  .refine(({ match, predicates }) => match !== undefined || predicates.length === 0, {
    path: ['match'],
    error: "predicates need a match: say 'all' (every predicate has to match) or 'any' (one is enough)",
  });
export type Subscription = z.infer<typeof Subscription>;

export const Subscriptions = z
  .array(Subscription)
  .max(MAX_SUBSCRIPTIONS, atMost(MAX_SUBSCRIPTIONS, 'subscriptions'))
  .meta({
    description:
      'narrows types down by payload: a subscribed type without an entry gets all its events; with entries, any one has to match. ' +
      'Only for subscribed types',
    example: [
      {
        type: 'invoice.created.v1',
        match: 'all',
        predicates: [
          { path: '$.region', operator: 'in', value: ['EU', 'CH'] },
          { path: '$.lines[*].amountCents', operator: 'greater', value: 100_000 },
        ],
      },
    ],
  });

/** Error of `max` on a list or text. */
export function atMost(most: number, what: string) {
  return { error: ({ input }: { input?: unknown }) => tooMany((input as { length: number }).length, what, most) };
}

/** Reports only the first one, because every value of a list may be wrong. */
function refuseOthers(list: readonly unknown[], context: z.RefinementCtx): void {
  const place = list.findIndex((value) => !isScalar(value));
  if (place >= 0) {
    context.addIssue({ code: 'custom', path: [place], message: SCALAR });
  }
}
