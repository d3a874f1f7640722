import { isLostConnection, isTransient } from './transient-fault.js';

const withCode = (code: string) => Object.assign(new Error('failed'), { code });

describe('a fault of the database', () => {
  it.each(['08006', '25006', '40001', '40P01', '53100', '53300', '55P03', '57014', '57P01', '57P02', '57P03'])(
    'with SQLSTATE %s passes by itself',
    (code) => expect(isTransient(withCode(code))).toBe(true),
  );

  it.each(['22P02', '23505', '23514', '42501', '42P01', '22001'])('with SQLSTATE %s stays', (code) =>
    expect(isTransient(withCode(code))).toBe(false),
  );

  it.each(['25006', '57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'ECONNREFUSED', 'EPIPE'])(
    'with code %s is a lost connection',
    (code) => expect(isLostConnection(withCode(code))).toBe(true),
  );

  it.each(['40001', '40P01', '57014'])('with SQLSTATE %s is no lost connection', (code) =>
    expect(isLostConnection(withCode(code))).toBe(false),
  );

  it.each([
    'Connection terminated unexpectedly',
    'Connection terminated',
    'Client has encountered a connection error and is not queryable',
    'timeout exceeded when trying to connect',
  ])('that says "%s" is a lost connection', (message) => {
    expect(isLostConnection(new Error(message))).toBe(true);
    expect(isTransient(new Error(message))).toBe(true);
  });

  it.each([new TypeError('x is not a function'), 'text', undefined])('is none where it is %s', (error) =>
    expect(isTransient(error)).toBe(false),
  );
});
