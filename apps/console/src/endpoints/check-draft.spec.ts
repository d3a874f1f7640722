import { checkDraft } from './check-draft.ts';
import { draftOf, newDraft, settingsOf, type Draft } from './endpoint-draft.ts';

const fine: Draft = {
  ...newDraft('00000000-0000-4000-8000-000000000310'),
  url: 'https://example.com/hook',
  types: ['invoice.created.v1'],
};
const withPredicate = (path: string, operator: string, value: string) =>
  ({
    ...fine,
    filters: [{ type: 'invoice.created.v1', match: 'all', predicates: [{ path, operator, value }] }],
  }) as Draft;

describe('checkDraft', () => {
  it.each([
    [fine],
    [{ ...fine, timeoutMs: '5000', maxAttempts: ' 3 ' }],
    [withPredicate('$.region', 'equals', '')],
    [withPredicate("$['a b'].lines[*].x[0]", 'in', 'EU, US')],
    [withPredicate('$.total', 'greater', '-1.5')],
  ])('takes %j', (draft) => {
    expect([...checkDraft(draft)]).toEqual([]);
  });

  it.each([
    [{ ...fine, tenantId: 'x' }, 'tenantId'],
    [{ ...fine, url: 'example.com' }, 'url'],
    [{ ...fine, url: 'ftp://example.com' }, 'url'],
    [{ ...fine, url: 'https://me:secret@example.com' }, 'url'],
    [{ ...fine, types: [] }, 'subscribedTypes'],
    [{ ...fine, timeoutMs: '0' }, 'timeoutMs'],
    [{ ...fine, maxAttempts: '1.5' }, 'retry.maxAttempts'],
    [{ ...fine, headers: [{ name: 'a b', value: 'x', isAlias: false }] }, 'headers.0'],
    [withPredicate('region', 'equals', 'EU'), 'subscriptions.0.predicates.0.path'],
    [withPredicate('$..a', 'equals', 'EU'), 'subscriptions.0.predicates.0.path'],
    [withPredicate('$.a', 'less', 'x'), 'subscriptions.0.predicates.0.value'],
    [withPredicate('$.a', 'in', ' , '), 'subscriptions.0.predicates.0.value'],
  ])('refuses %j at %s', (draft, path) => {
    expect([...checkDraft(draft).keys()]).toEqual([path]);
  });
});

describe('settingsOf', () => {
  it('sends numbers as numbers, lists as lists, and text as text', () => {
    const values = (['equals', 'in', 'greater', 'exists'] as const).map((operator) => {
      const [subscription] = settingsOf(
        withPredicate('$.a', operator, operator === 'exists' ? 'false' : '5'),
      ).subscriptions;
      return subscription!.predicates[0]!.value;
    });
    expect(values).toEqual(['5', ['5'], 5, false]);
  });

  it('gives back what an endpoint has', () => {
    const settings = {
      name: 'A',
      url: 'https://example.com/',
      subscribedTypes: ['t.v1'],
      subscriptions: [
        {
          type: 't.v1',
          match: 'any' as const,
          predicates: [{ path: '$.a', operator: 'in' as const, value: ['x', 'y'] }],
        },
      ],
      signature: 'v1' as const,
      headers: { 'x-a': 'b', 'x-key': { secretAlias: 'key' } },
      isExternal: true,
      ordering: 'stream' as const,
      onDeadLetter: 'skip' as const,
      maxInFlight: null,
      retry: { maxAttempts: 3 },
      timeoutMs: 500,
    };
    const endpoint = { ...settings, tenantId: 't', isEnabled: true };
    expect(settingsOf(draftOf(endpoint))).toEqual(settings);
  });
});
