import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import pg from 'pg';
import { TenantScope } from '@kernel/eventbus/engine';
import { waitFor } from '@kernel/eventbus/testing';
import { ADMIN, AdminApi, OPERATOR_TOKEN } from '@kernel/test-support/admin-api';
import { SealedLedger } from '@kernel/test-support/sealed-ledger';
import { AdminPrincipal } from '../src/access/admin-principal.js';

const SCRIPT = resolve('tools/audit/verify-export.mjs');

describe('the proof of the ledger over HTTP', () => {
  let api: AdminApi;
  let ledger: SealedLedger;
  let directory: string;
  let ids: string[];
  let lines: string[];
  let head: { batchNumber: number; seal: string };
  let publicKey: string;
  beforeAll(async () => {
    api = await AdminApi.start({ sealing: { lagMs: 0 } });
    ledger = new SealedLedger(api.kernel);
    directory = await mkdtemp(join(tmpdir(), 'kernel-ledger-'));
    await api.tenantAdmin();
    await ledger.clear();
    ids = await ledger.appendSealed(2);
    await ledger.append(1);
    const { body: text } = (await exported()) as { body: string };
    lines = text.split('\n').slice(0, -1);
    ({ head, publicKey } = (await api.operator.post('/audit/verify', {}).expect(200)).body);
  });
  afterAll(async () => {
    await api.close();
    await rm(directory, { recursive: true });
  });

  const exported = () =>
    api.operator
      .get('/audit/export')
      .buffer(true)
      .parse(readText as never)
      .expect(200);

  const isExported = () =>
    exported().then(
      () => true,
      () => false,
    );

  async function verifyOffline(content: string[], ...options: string[]): Promise<{ code: number; output: string }> {
    const file = join(directory, 'ledger.ndjson');
    await writeFile(file, content.map((line) => `${line}\n`).join(''));
    return new Promise((done) => {
      execFile(process.execPath, [SCRIPT, file, ...options], (error, stdout, stderr) => {
        done({ code: Number(error?.code ?? 0), output: stdout + stderr });
      });
    });
  }

  it('[KER-1] POST /audit/verify says that it is intact, and what is not sealed', async () => {
    const { body } = await api.operator.post('/audit/verify').expect(200);
    expect(body).toMatchObject({ isIntact: true, firstBroken: null, verifiedEntries: 8, unsealed: { entries: 1 } });
    const wrong = { anchor: { batchNumber: 2, seal: Buffer.alloc(64).toString('base64') } };
    const { body: refuted } = await api.operator.post('/audit/verify', wrong).expect(200);
    expect(refuted).toMatchObject({ isIntact: false, firstBroken: { fault: 'seal-altered', batchNumber: 2 } });
  });

  it('is for operators, and refuses what it does not know', async () => {
    const { client } = await api.tenantAdmin();
    await client.post('/audit/verify').expect(403);
    await client.get('/audit/export').expect(403);
    await api.as().get('/audit/export').expect(401);
    await api.operator.post('/audit/verify', { since: 1 }).expect(400);
    await api.operator.post('/audit/verify', { anchor: { batchNumber: 0, seal: 'x' } }).expect(400);
    await api.operator.get('/audit/export', { tenantId: 'x' }).expect(400);
  });

  it('[KFM-8] GET /audit/export is lines of JSON that verify offline, with the key and without', async () => {
    const parts = lines.map((line) => (JSON.parse(line) as { line?: string }).line ?? 'entry');
    const batch = ['seal', 'entry', 'entry', 'entry', 'entry'];
    expect(parts).toEqual(['ledger', ...batch, ...batch, 'unsealed', 'entry', 'head']);
    expect((await exported()).headers['content-type']).toBe('application/x-ndjson');
    expect(await verifyOffline(lines, '--key', publicKey, '--anchor', `${head.batchNumber}:${head.seal}`)).toEqual({
      code: 0,
      output: `intact: 8 entries under 2 seals; 1 entries are not sealed yet\nhead 2:${head.seal}\n`,
    });
    expect((await verifyOffline(lines)).output).toContain('the key that the export itself names');
  });

  it('GET /audit/export ends while other requests hold every place of the admin API', async () => {
    const scope = api.kernel.app.get(TenantScope, { strict: false });
    let release!: () => void;
    const released = new Promise<void>((done) => (release = done));
    const holders = Array.from({ length: 20 }, (_, n) => principalNamed(`operator-${n}`));
    const held = Promise.allSettled(holders.map((holder) => scope.hold(holder, () => released)));
    try {
      const { body } = (await exported()) as { body: string };
      expect(JSON.parse(body.split('\n').at(-2)!)).toMatchObject({ line: 'head', ...head });
    } finally {
      release();
      await held;
    }
  });

  it('GET /audit/export is one at a time: 503 before the first byte, until the client that has it goes away', async () => {
    const owner = new pg.Client({ connectionString: api.kernel.database.url });
    await owner.connect();
    const client = new AbortController();
    try {
      await owner.query('begin; lock table kernel_ledger_entry in access exclusive mode');
      const authorization = `Bearer ${OPERATOR_TOKEN}`;
      const first = await fetch(`${api.url}${ADMIN}/audit/export`, {
        signal: client.signal,
        headers: { authorization },
      });
      expect(first.status).toBe(200);
      const { body, headers } = await api.operator.get('/audit/export').expect(503);
      expect(body).toMatchObject({ type: expect.stringMatching(/busy$/), detail: expect.stringContaining('export') });
      expect(headers['retry-after']).toBeDefined();
    } finally {
      client.abort();
      await owner.end();
    }
    await waitFor(isExported, 'the next export');
  });

  const without = (...places: number[]) => lines.filter((_, place) => !places.includes(place));
  const swapped = (a: number, b: number) => lines.map((_, place) => lines[place === a ? b : place === b ? a : place]!);

  it.each<[string, () => string[], () => string]>([
    [
      'an altered entry',
      () => lines.map((line, n) => (n === 3 ? line.replace('reason', 'Reason') : line)),
      () => `entry ${ids[1]} was altered`,
    ],
    ['a removed entry', () => without(7), () => `entry ${ids[4]} was removed`],
    ['an inserted entry', () => [...lines.slice(0, 4), lines[12]!, ...lines.slice(4)], () => 'was inserted (seal 1)'],
    ['entries in another order', () => swapped(2, 3), () => `entry ${ids[1]} was reordered`],
    ['a removed batch', () => without(1, 2, 3, 4, 5), () => 'seal 1 is gone'],
    ['a removed last batch', () => without(6, 7, 8, 9, 10), () => 'the seals do not end where the head says'],
    ['a missing end', () => lines.slice(0, -1), () => 'it is not whole'],
    ['an altered seal', () => lines.map((line) => line.replace('"entryCount":4', '"entryCount":5')), () => 'seal 1'],
  ])('[KER-1] the script finds %s', async (_what, content, message) => {
    const { code, output } = await verifyOffline(content());
    expect(output).toContain('BROKEN');
    expect(output).toContain(message());
    expect(code).toBe(1);
  });

  it('[KER-1] the script finds a chain that another key signed, and one that ends before the anchor', async () => {
    const other = 'MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=';
    expect(await verifyOffline(lines, '--key', other)).toMatchObject({
      code: 1,
      output: expect.stringContaining('not signed'),
    });
    expect(await verifyOffline(lines, '--anchor', `9:${head.seal}`)).toMatchObject({ code: 1 });
    expect(await verifyOffline(['nonsense'])).toMatchObject({ code: 2 });
  });

  it.each([
    ...['foo', ':abc', 'x19:AAAA', '19.0:AAAA', '0:AAAA', '19:', ''].map((anchor) => ['--anchor', anchor]),
    ['--anchor'],
    ['--anchr', 'x'],
    ['another.ndjson'],
  ])('[KER-1] the script does not verify with mistyped options: %s %s', async (...options) => {
    const { code, output } = await verifyOffline(lines, ...options.filter((option) => option !== undefined));
    expect(output).toContain('usage: verify-export.mjs');
    expect(output).not.toMatch(/intact|BROKEN|at .*mjs:/);
    expect(code).toBe(2);
  });
});

function principalNamed(actor: string): AdminPrincipal {
  return new AdminPrincipal({ role: 'operator', actor, tenantId: null });
}

function readText(response: NodeJS.ReadableStream, done: (error: Error | null, text: string) => void): void {
  let text = '';
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => (text += chunk));
  response.on('end', () => done(null, text));
}
