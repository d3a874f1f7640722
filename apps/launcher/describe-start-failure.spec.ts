import { describeStartFailure, StartFailure } from './describe-start-failure.ts';

const PORTS = { PORT: 3000, RECEIVER_PORT: 3001 };
const failure = (facts: object, message = 'listen failed') => Object.assign(new Error(message), facts);

describe('describeStartFailure', () => {
  it.each([
    [{ code: 'EADDRINUSE', port: 3000 }, 'port 3000 is already in use; choose another with PORT=...'],
    [{ code: 'EADDRINUSE', port: 3001 }, 'port 3001 is already in use; choose another with RECEIVER_PORT=...'],
    [{ code: 'EACCES', port: 3000 }, 'port 3000 may not be used by this user; choose another with PORT=...'],
  ])('names the variable of a port that cannot be had: %j', (facts, line) => {
    expect(describeStartFailure(failure(facts), PORTS)).toBe(`Cannot start: ${line}`);
  });

  it('names the variable of an address that is not of this machine', () => {
    expect(describeStartFailure(failure({ code: 'EADDRNOTAVAIL', address: '192.0.2.1', port: 3000 }), PORTS)).toBe(
      'Cannot start: HOST is "192.0.2.1"; it may be an address of this machine, or 0.0.0.0 for every interface',
    );
  });

  it('names the path that the file system keeps from this user, and no port', () => {
    const path = '/project/.data/master-key';
    const denied = failure({ code: 'EACCES', syscall: 'open', path }, `EACCES: permission denied, open '${path}'`);
    const line = `Cannot start: this user may not use ${path} (EACCES, open); make it yours with chown, or start as its owner`;
    expect(describeStartFailure(denied, PORTS)).toBe(line);
    expect(describeStartFailure(new StartFailure(denied.message, { cause: denied }), PORTS)).toBe(line);
  });

  it('blames no port where none is known', () => {
    expect(describeStartFailure(failure({ code: 'EACCES' }), PORTS)).not.toMatch(/port/);
  });

  it.each(['SETTINGS_INVALID', 'DATABASE_UNREACHABLE', 'MASTER_KEY_MISMATCH', 'EVENTBUS_INVALID_CIDR'])(
    'gives the one line of an error that says what to do (%s)',
    (code) => {
      expect(describeStartFailure(failure({ code }, 'do this'))).toBe('Cannot start: do this');
    },
  );

  it('gives the one line of a failure of its own', () => {
    expect(describeStartFailure(new StartFailure('build first'))).toBe('Cannot start: build first');
  });

  it('shows where an error comes from that nobody foresaw', () => {
    expect(describeStartFailure(new TypeError('x is not a function'))).toMatch(/TypeError: x is not a function\n +at /);
  });
});
