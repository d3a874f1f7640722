import { validationProblem } from './validation-problem.js';

const errors = (count: number) => Array.from({ length: count }, (_, n) => ({ path: `list.${n}`, message: 'is wrong' }));

describe('validationProblem', () => {
  it('names every field, in the detail too', () => {
    expect(validationProblem([...errors(2), { path: '', message: 'is empty' }])).toEqual({
      code: 'validation-failed',
      status: 400,
      detail: 'list.0: is wrong; list.1: is wrong; is empty',
      errors: [...errors(2), { path: '', message: 'is empty' }],
    });
  });

  it('names the first of many, and how many more there are', () => {
    const problem = validationProblem(errors(100_000));
    expect(problem.errors).toEqual(errors(20));
    expect(problem.detail).toMatch(/list\.19: is wrong; and 99980 more$/);
  });

  it('names a field that is longer than anybody reads by its beginning', () => {
    const { detail, errors: listed } = validationProblem([{ path: 'x'.repeat(1_000_000), message: 'unknown field' }]);
    expect(listed).toEqual([{ path: `${'x'.repeat(200)}…`, message: 'unknown field' }]);
    expect(detail.length).toBeLessThan(300);
  });
});
