import { readTraceState } from './trace-state.js';

const members = (count: number, length = 8) =>
  Array.from({ length: count }, (_, n) => `k${n}=`.padEnd(length, 'v')).join();

describe('readTraceState', () => {
  it.each([
    ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['a=1 ,\tb=2,,', 'a=1,b=2'],
    ['tenant@vendor=x y,0a_-*/=!', 'tenant@vendor=x y,0a_-*/=!'],
    [members(32), members(32)],
  ])('passes %j on', (header, passed) => {
    expect(readTraceState(header)).toBe(passed);
  });

  it.each([
    undefined,
    '',
    ' , ',
    'a',
    'A=1',
    'a=1=2',
    'a=',
    'a=\u00e9',
    `${'k'.repeat(257)}=1`,
    `a=${'v'.repeat(257)}`,
  ])('drops %j', (header) => {
    expect(readTraceState(header)).toBeNull();
  });

  it('drops more than 32 members', () => {
    expect(readTraceState(members(33))).toBeNull();
  });

  it('cuts long ones by whole members: the longest first, then the last', () => {
    expect(readTraceState(`a=${'v'.repeat(200)},${members(4, 100)}`)).toBe(members(4, 100));
    expect(readTraceState(members(6, 100))).toBe(members(5, 100));
    expect(readTraceState([1, 2, 3].map((n) => `k${n}=${'v'.repeat(250)}`).join())).toBeNull();
  });

  it('does not read a header that is far too long', () => {
    expect(readTraceState(`a=${' '.repeat(15_000)}x`)).toBeNull();
  });
});
