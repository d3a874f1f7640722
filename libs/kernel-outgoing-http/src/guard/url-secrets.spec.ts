import { secretsIn, splitUrl } from './url-secrets.js';

describe('splitUrl', () => {
  it.each([
    ['https://example.com/hook', 'https://example.com/hook', ''],
    ['https://example.com/hook?key=a', 'https://example.com/hook', '?key=a'],
    ['https://example.com?key=a/b@c', 'https://example.com', '?key=a/b@c'],
    ['https://me:pass@example.com/hook?a#b', 'https://example.com/hook', 'me:pass@?a#b'],
    ['https://example.com/@me', 'https://example.com/@me', ''],
    ['queue:orders?key=a', 'queue:orders', '?key=a'],
    ['kafka:orders', 'kafka:orders', ''],
    ['', '', ''],
  ])('hides what may be a credential in %s', (url, shown, hidden) => {
    expect(splitUrl(url)).toEqual({ shown, hidden });
  });
});

describe('secretsIn', () => {
  it('lists the query and its values, as written and decoded', () => {
    expect(secretsIn('https://example.com/hook?key=a%2Fb&flag')).toEqual([
      'key=a%2Fb&flag',
      'key=a/b&flag',
      'a%2Fb',
      'a/b',
      'flag',
    ]);
    expect(secretsIn('https://me:pass@example.com/')).toEqual(['me', 'pass']);
    expect(secretsIn('https://example.com/?a=%zz')).toEqual(['a=%zz', '%zz']);
    expect(secretsIn('https://example.com/hook')).toEqual([]);
  });
});
