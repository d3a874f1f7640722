import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startErp } from '../src/main.js';
import { startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

describe('the console', () => {
  let erp: TestErp;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'console-'));
    erp = await startTestErp({ consoleFolder: join(folder, 'dist') });
  });
  afterAll(async () => {
    await erp.close();
    await rm(folder, { recursive: true });
  });

  const get = async (path: string) => {
    const response = await fetch(`${erp.url}${path}`, { redirect: 'manual' });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it('says how to build it while it is not built', async () => {
    const { status, headers, text } = await get('/console');
    expect(status).toBe(503);
    expect(headers.get('content-type')).toContain('text/plain');
    expect(text).toContain('npm run build');
  });

  it('is served with its files, deep links and a policy that lets nothing else in', async () => {
    await mkdir(join(folder, 'dist', 'assets'), { recursive: true });
    await writeFile(join(folder, 'dist', 'index.html'), '<!doctype html><title>console</title>');
    await writeFile(join(folder, 'dist', 'assets', 'index-a1b2.js'), 'export {};');
    await writeFile(join(folder, 'secret'), 'outside');

    for (const path of ['/console', '/console/', '/console/deliveries/1?tab=body', '/console/index.html']) {
      const { status, headers, text } = await get(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).toContain('<title>console</title>');
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': POLICY,
        'x-content-type-options': 'nosniff',
      });
    }
    const asset = await get('/console/assets/index-a1b2.js');
    expect(asset).toMatchObject({ status: 200, text: 'export {};' });
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('content-type')).toContain('text/javascript');

    const missing = await get('/console/assets/index-gone.js');
    expect(missing.status).toBe(404);
    expect(missing.headers.get('cache-control')).toBe('no-store');
    for (const path of ['/console/../secret', '/console/..%2fsecret', '/console/assets/..%2f..%2fsecret']) {
      expect((await get(path)).text).not.toContain('outside');
    }
    expect((await erp.request('POST', '/console', {})).status).toBe(404);
  });

  it('is opened by a link whose code gives a token once; a worker has none', async () => {
    const other = await startErp({ ...erp.settings, port: 0 });
    const link = new URL(other.consoleLink!);
    expect(link.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console#code=[\w-]{43}$/);
    const signIn = () =>
      fetch(`${other.url}/admin/eventbus/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code: link.hash.slice('#code='.length) }),
      });
    const { token } = (await (await signIn()).json()) as { token: string };
    const { status } = await erp.request('GET', '/admin/eventbus/tokens', undefined, {
      authorization: `Bearer ${token}`,
    });
    expect(status).toBe(200);
    expect((await signIn()).status).toBe(401);
    await other.close();

    const worker = await startErp({ ...erp.settings, port: 0, role: 'worker' });
    expect(worker.consoleLink).toBeUndefined();
    expect((await fetch(`${worker.url}/console`)).status).toBe(404);
    await worker.close();
  });
});
