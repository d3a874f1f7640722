import { parse } from 'node:querystring';
import { readQuery } from './read-query.js';

const queryOf = (text: string) => ({ ...readQuery(`/audit${text}`) });

describe('readQuery', () => {
  it.each([
    '',
    '?',
    '?limit=5',
    '?limit=1&limit=2&limit=3',
    '?dryRun',
    '?dryRun=',
    '?=5',
    '?&&a=1&',
    '?a=b=c&d=1?e',
    '?type=a+b%20c%2Bd',
    '?since=2026-01-01T00:00:00%2B02:00',
    '?name=caf%C3%A9&%6eame=two',
    '?filter[status]=DLQ&limit[]=5',
    '?a=100%&b=%zz',
    '?b=%ff',
    '?constructor=1&__proto__=2&__proto__=3',
  ])('reads %j as Node does', (text) => {
    expect(queryOf(text)).toEqual({ ...parse(text.slice(1)) });
  });

  it('drops no parameter, however many there are', () => {
    const text = Array.from({ length: 2_000 }, (_, n) => `p${n}=1`).join('&');
    expect(Object.keys(queryOf(`?${text}`))).toHaveLength(2_000);
  });
});
