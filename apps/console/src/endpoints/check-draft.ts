import { listOf, type Draft, type DraftPredicate } from './endpoint-draft.ts';

/** Messages by field path, the same paths as the server's. */
export type Mistakes = ReadonlyMap<string, string>;

const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const PATH = /^\$(\.[\p{L}_][\p{L}\p{N}_]*|\['(?:[^'\\]|\\.)*'\]|\[(\*|\d+)\])*$/u;
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const DAY_MS = 86_400_000;

const RANGES = {
  'retry.maxAttempts': ['maxAttempts', 1, 100],
  'retry.initialDelayMs': ['initialDelayMs', 1, DAY_MS],
  'retry.maxDelayMs': ['maxDelayMs', 1, DAY_MS],
  timeoutMs: ['timeoutMs', 1, 300_000],
  maxInFlight: ['maxInFlight', 1, 1_000],
} as const;

/**
 * Checked while typing. The server checks all of it again, and more: where an address leads, which headers are
 * reserved.
 */
export function checkDraft(draft: Draft): Mistakes {
  const mistakes = new Map<string, string>();
  const note = (path: string, mistake: string | undefined) => mistake && mistakes.set(path, mistake);
  note('tenantId', GUID.test(draft.tenantId) ? undefined : 'Which tenant is it for? Its id is a UUID.');
  note('name', draft.name.trim().length > 120 ? 'At most 120 characters.' : undefined);
  note('url', checkUrl(draft.url));
  note('subscribedTypes', draft.types.length === 0 ? 'Choose at least one type.' : undefined);
  for (const [path, [name, least, most]] of Object.entries(RANGES)) {
    note(path, checkNumber(draft[name], least, most));
  }
  draft.filters.forEach(({ predicates }, filter) =>
    predicates.forEach((predicate, index) => {
      const at = `subscriptions.${filter}.predicates.${index}`;
      note(`${at}.path`, PATH.test(predicate.path.trim()) ? undefined : 'Write it like $.region or $.lines[*].sku');
      note(`${at}.value`, checkValue(predicate));
    }),
  );
  draft.headers.forEach(({ name, value }, index) => {
    note(`headers.${index}`, HEADER_NAME.test(name.trim()) ? undefined : 'This is no name of a header.');
    if (value.trim() === '') note(`headers.${index}`, 'It needs a value.');
  });
  return mistakes;
}

function checkUrl(text: string): string | undefined {
  if (!URL.canParse(text.trim())) return 'Write it like https://example.com/webhooks';
  const { protocol, username, password } = new URL(text.trim());
  if (protocol !== 'https:' && protocol !== 'http:') return 'It begins with https://';
  return username || password ? 'No user or password in it: a credential goes into a header, by its alias.' : undefined;
}

function checkNumber(text: string, least: number, most: number): string | undefined {
  const number = Number(text);
  const isFine = text.trim() === '' || (Number.isInteger(number) && number >= least && number <= most);
  return isFine ? undefined : `A whole number from ${least} to ${most}, or nothing.`;
}

function checkValue({ operator, value }: DraftPredicate): string | undefined {
  switch (operator) {
    case 'greater':
    case 'less':
      return value.trim() === '' || Number.isNaN(Number(value)) ? 'A number.' : undefined;
    case 'in':
      return listOf(value).length === 0 ? 'One or more, with commas between them.' : undefined;
    case 'starts-with':
      return value === '' ? 'At least one character.' : undefined;
    default:
      return undefined;
  }
}
