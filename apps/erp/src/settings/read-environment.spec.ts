import { readEnvironment } from './read-environment.js';

describe('readEnvironment', () => {
  it('has a default for everything', () => {
    expect(readEnvironment({})).toMatchObject({
      databaseUrl: undefined,
      host: '127.0.0.1',
      port: 3000,
      receiverPort: 3001,
      role: 'all',
      isDemo: true,
      receiverUrl: 'http://127.0.0.1:3001',
      allowHttp: false,
      allowedCidrs: [],
      logLevel: 'info',
    });
  });

  it('takes every variable', () => {
    const masterKey = Buffer.alloc(32, 7).toString('base64');
    const settings = readEnvironment({
      DATABASE_URL: 'postgresql://u:p@db/x',
      HOST: '0.0.0.0',
      PORT: '0',
      RECEIVER_PORT: '8081',
      EVENTBUS_ROLE: 'worker',
      EVENTBUS_DEMO: 'false',
      EVENTBUS_ALLOWED_CIDRS: '10.1.0.0/16, fd00::/8,192.168.0.7',
      EVENTBUS_ALLOW_HTTP: 'true',
      EVENTBUS_ADMIN_TOKEN: 'sixteen-characters',
      EVENTBUS_MASTER_KEY: masterKey,
      EVENTBUS_MASTER_KEY_PREVIOUS: masterKey,
      EVENTBUS_MAX_ATTEMPTS: '3',
      EVENTBUS_RETRY_INITIAL_MS: '50',
      EVENTBUS_RETRY_MAX_MS: '200',
      EVENTBUS_TIMEOUT_MS: '1000',
      EVENTBUS_MAX_TIMEOUT_MS: '2000',
      EVENTBUS_MAX_IN_FLIGHT_PER_ENDPOINT: '4',
      EVENTBUS_CONCURRENCY: '8',
      EVENTBUS_MAX_PAYLOAD_BYTES: '1000',
      LOG_LEVEL: 'debug',
    });
    expect(settings).toEqual({
      databaseUrl: 'postgresql://u:p@db/x',
      host: '0.0.0.0',
      port: 0,
      receiverPort: 8081,
      role: 'worker',
      isDemo: false,
      receiverUrl: undefined,
      allowHttp: true,
      allowedCidrs: ['10.1.0.0/16', 'fd00::/8', '192.168.0.7'],
      adminToken: 'sixteen-characters',
      masterKey,
      previousMasterKey: masterKey,
      retry: { maxAttempts: 3, initialDelayMs: 50, maxDelayMs: 200 },
      timeoutMs: 1000,
      maxTimeoutMs: 2000,
      maxInFlightPerEndpoint: 4,
      concurrency: 8,
      maxPayloadBytes: 1000,
      logLevel: 'debug',
    });
  });

  it('counts an empty variable as not set', () => {
    expect(readEnvironment({ PORT: '', EVENTBUS_ALLOWED_CIDRS: '' })).toEqual(readEnvironment({}));
  });

  it.each([
    [{ EVENTBUS_DEMO: 'false' }, false, []],
    [{ EVENTBUS_ALLOW_HTTP: 'false' }, false, []],
    [{ EVENTBUS_ALLOW_HTTP: 'true' }, true, []],
    [{ EVENTBUS_ALLOWED_CIDRS: '10.0.0.0/8' }, false, ['10.0.0.0/8']],
    [{ EVENTBUS_ROLE: 'worker', DATABASE_URL: 'postgres://db/x' }, false, []],
  ])(
    'is not in demo mode with %j, and opens the guard no further than asked',
    (environment, allowHttp, allowedCidrs) => {
      const receiverUrl = undefined;
      expect(readEnvironment(environment)).toMatchObject({ isDemo: false, receiverUrl, allowHttp, allowedCidrs });
    },
  );

  it.each(['worker', 'api'])('lets a process (%s) beside the embedded database out to the demo receiver', (role) => {
    expect(readEnvironment({ EVENTBUS_ROLE: role, RECEIVER_PORT: '8081' })).toMatchObject({
      isDemo: false,
      receiverUrl: 'http://127.0.0.1:8081',
      allowHttp: false,
      allowedCidrs: [],
    });
  });

  it.each([
    ['192.168.0.7', 'http://192.168.0.7:3001'],
    ['::1', 'http://[::1]:3001'],
    ['0.0.0.0', 'http://127.0.0.1:3001'],
    ['::', 'http://[::1]:3001'],
  ])('reaches the demo receiver on the address it listens on: %s', (HOST, receiverUrl) => {
    expect(readEnvironment({ HOST })).toMatchObject({ host: HOST, receiverUrl });
  });

  it.each([
    ['HOST', 'localhost', 'an IP address like 127.0.0.1, or 0.0.0.0 for every interface'],
    ['HOST', '127.0.0.1:3000', 'an IP address like 127.0.0.1'],
    ['HOST', 'fe80::1%eth0', 'an IP address like 127.0.0.1'],
    ['PORT', 'eighty', 'a whole number from 0 to 65535'],
    ['PORT', '70000', 'a whole number from 0 to 65535'],
    ['PORT', '-1', 'a whole number from 0 to 65535'],
    ['RECEIVER_PORT', '30.5', 'a whole number from 0 to 65535'],
    ['EVENTBUS_ROLE', 'boss', 'all, api or worker'],
    ['EVENTBUS_DEMO', 'yes', 'true or false'],
    ['EVENTBUS_ALLOW_HTTP', '1', 'true or false'],
    ['EVENTBUS_ALLOWED_CIDRS', '10.0.0.0/40', 'a comma-separated list of address ranges'],
    ['EVENTBUS_ALLOWED_CIDRS', 'localhost', 'a comma-separated list of address ranges'],
    ['EVENTBUS_MAX_ATTEMPTS', '0', 'a whole number from 1 to 100'],
    ['EVENTBUS_RETRY_INITIAL_MS', '1s', 'a whole number'],
    ['EVENTBUS_RETRY_MAX_MS', 'never', 'a whole number'],
    ['EVENTBUS_TIMEOUT_MS', '0', 'a whole number'],
    ['EVENTBUS_MAX_TIMEOUT_MS', '300001', 'a whole number from 1 to 300000'],
    ['EVENTBUS_MAX_IN_FLIGHT_PER_ENDPOINT', '0', 'a whole number from 1 to 1000'],
    ['EVENTBUS_CONCURRENCY', '1e3', 'a whole number'],
    ['EVENTBUS_MAX_PAYLOAD_BYTES', '256k', 'a whole number'],
    ['LOG_LEVEL', 'loud', 'trace, debug, info, warn, error, fatal or silent'],
  ])('names the variable, what it was and what it may be: %s=%s', (name, value, mayBe) => {
    const read = () => readEnvironment({ [name]: value });
    expect(read).toThrow(`${name} is "${value}"; it may be ${mayBe}`);
    expect(read).toThrow(
      expect.objectContaining({ code: 'SETTINGS_INVALID', message: expect.not.stringMatching(/\n/) }),
    );
  });

  it.each([
    ['EVENTBUS_ADMIN_TOKEN', 'hunter2', '16 to 512 visible ASCII characters'],
    ['EVENTBUS_MASTER_KEY', 'aHVudGVyMg==', 'base64 of 32 bytes'],
    ['EVENTBUS_MASTER_KEY_PREVIOUS', 'aHVudGVyMg==', 'base64 of 32 bytes'],
    ['DATABASE_URL', 'mysql://me:hunter2@db/x', 'a URL like postgres://'],
    ['DATABASE_URL', 'postgres://me:hunter2@db', 'a URL like postgres://'],
    ['DATABASE_URL', 'me:hunter2', 'a URL like postgres://'],
    ['DATABASE_OWNER_URL', 'mysql://me:hunter2@db/x', 'a URL like postgres://'],
    ['DATABASE_OWNER_URL', 'postgres://me:hunter2@db/x', 'set only beside DATABASE_URL'],
  ])('keeps to itself what %s was', (name, value, mayBe) => {
    const read = () => readEnvironment({ [name]: value });
    expect(read).toThrow(`it may be ${mayBe}`);
    expect(read).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/hunter2|aHVud/) }));
  });

  it('names the variable that exceeds another', () => {
    const read = () => readEnvironment({ EVENTBUS_TIMEOUT_MS: '6000', EVENTBUS_MAX_TIMEOUT_MS: '5000' });
    expect(read).toThrow('EVENTBUS_TIMEOUT_MS is "6000"; it may be at most EVENTBUS_MAX_TIMEOUT_MS');
  });

  it('tells everything that is wrong at once', () => {
    expect(() => readEnvironment({ PORT: 'x', LOG_LEVEL: 'y' })).toThrow(/^PORT is "x".*; LOG_LEVEL is "y"/);
  });
});
