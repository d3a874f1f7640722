import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UsageError } from '../cli.errors.js';
import { readToken, readUrl } from './read-connection.js';

const place = { env: {}, directory: '/' };

describe('readUrl', () => {
  it.each([
    [{ url: 'https://a.example/bus' }, { EVENTBUS_URL: 'http://b.example' }, 'https://a.example/bus'],
    [{}, { EVENTBUS_URL: 'http://b.example' }, 'http://b.example/'],
    [{}, {}, 'http://127.0.0.1:3000/'],
  ])('takes %j before %j', (options, env, expected) => {
    expect(readUrl(options, { ...place, env }).href).toBe(expected);
  });

  it.each(['localhost:3000', 'ftp://a.example', 'nothing', 'http://user:hunter2@a.example'])('refuses %s', (url) => {
    expect(() => readUrl({ url }, place)).toThrow(UsageError);
    expect(() => readUrl({ url }, place)).toThrow(/^--url must be an http or https address without user and password$/);
  });
});

describe('readToken', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'kernel-cli-token-'));
    await mkdir(join(directory, '.data'));
    await writeFile(join(directory, '.data/admin-token'), 'of-the-demo\n');
    await writeFile(join(directory, 'named'), 'named\n');
    await writeFile(join(directory, 'broken'), 'two words');
  });
  afterAll(() => rm(directory, { recursive: true }));

  it.each([
    [{ tokenFile: 'named' }, { EVENTBUS_ADMIN_TOKEN: 'of-env' }, 'named'],
    [{}, { EVENTBUS_ADMIN_TOKEN: 'of-env' }, 'of-env'],
    [{}, {}, 'of-the-demo'],
  ])('takes %j before %j', (options, env, expected) => {
    expect(readToken(options, { env, directory })).toBe(expected);
  });

  it('says where a token could come from when there is none', () => {
    expect(() => readToken({}, { env: {}, directory: join(directory, '.data') })).toThrow(/set EVENTBUS_ADMIN_TOKEN/);
    expect(() => readToken({ tokenFile: 'absent' }, { env: {}, directory })).toThrow(/absent cannot be read$/);
  });

  it('does not show a token that cannot be one', () => {
    expect(() => readToken({ tokenFile: 'broken' }, { env: {}, directory })).toThrow(/^(?!.*two words)the token is/);
  });
});
