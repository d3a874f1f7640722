import { z } from 'zod';
import { describeIssues, listIssues } from './list-issues.js';

const unknownFields = (count: number, length = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`.padEnd(length, 'x'), 1]));
const issuesOf = (value: unknown) => z.strictObject({ a: z.string() }).safeParse(value).error!.issues;

describe('listIssues', () => {
  it('names each unknown field as an issue of its own', () => {
    expect(listIssues(issuesOf({ a: 'a', ...unknownFields(2) }), ['payload'])).toEqual({
      issues: [
        { path: 'payload.k0', message: 'unknown field' },
        { path: 'payload.k1', message: 'unknown field' },
      ],
      more: 0,
    });
  });

  it('lists 20 of many unknown fields, and counts the rest', () => {
    const { issues, more } = listIssues(issuesOf(unknownFields(100_000)));
    expect(issues).toHaveLength(20);
    expect(more).toBe(100_001 - 20);
  });

  it('lists 20 of many issues', () => {
    const found = Array.from({ length: 100_000 }, (_, n) => ({ path: ['list', n], message: 'is wrong' }));
    const { issues, more } = listIssues(found);
    expect(issues.at(-1)).toEqual({ path: 'list.19', message: 'is wrong' });
    expect(more).toBe(99_980);
  });

  it('shortens paths and messages', () => {
    const deep = Array.from({ length: 100_000 }, () => 'x');
    const [issue] = listIssues([{ path: deep, message: 'y'.repeat(1_000_000) }]).issues;
    expect(issue!.path).toHaveLength(201);
    expect(issue!.message).toHaveLength(401);
  });
});

describe('describeIssues', () => {
  it('names every field of a short list', () => {
    const issues = [
      { path: 'a', message: 'is wrong' },
      { path: '', message: 'is empty' },
    ];
    expect(describeIssues({ issues, more: 0 })).toBe('a: is wrong; is empty');
    expect(describeIssues({ issues, more: 3 })).toBe('a: is wrong; is empty; and 3 more');
  });

  it('stays short, and counts what it leaves out', () => {
    const text = describeIssues(listIssues(issuesOf(unknownFields(1_000, 500))));
    expect(text.length).toBeLessThan(1_100);
    expect(text).toMatch(/; and 99\d more$/);
  });
});
