import { faultOf, firstLine } from './fault.js';

describe('faultOf', () => {
  it('keeps name, code, frames and the first line, and nothing of the row that a driver tells of', () => {
    const row = 'Failing row contains (ada@example.com)';
    const cause = Object.assign(new Error(`insert failed - detail: ${row}\nmore of it: ${row}`), {
      code: '23514',
      detail: row,
    });
    const fault = faultOf(new Error('not recorded', { cause }));
    expect(fault).toMatchObject({
      type: 'Error',
      message: 'not recorded',
      cause: { message: 'insert failed', code: '23514' },
    });
    expect(fault.stack!.length).toBeGreaterThan(0);
    expect(JSON.stringify(fault)).not.toContain('ada@example.com');
  });

  it('keeps nothing of a value that the database could not read', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "ada@example.com"'), { code: '22P02' });
    expect(firstLine(error)).toBe('invalid input syntax for type uuid');
  });

  it('takes whatever is thrown', () => {
    expect(faultOf('ada@example.com')).toEqual({
      type: 'string',
      message: 'something that is not an Error was thrown',
    });
    expect(firstLine(undefined)).toBe('unknown fault');
  });

  it('ends where causes go in circles', () => {
    const error = new Error('a');
    error.cause = error;
    expect(JSON.stringify(faultOf(error)).length).toBeLessThan(20_000);
  });
});
