import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor, WebhookReceiver } from '@kernel/eventbus/testing';
import type { Terminal } from '@kernel/eventbus-cli';
import { newInvoice, startTestErp, type TestErp } from '@kernel/test-support/start-test-erp';
import { run } from './command-line.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';

let erp: TestErp;
let receiver: WebhookReceiver;
let scratch: string;
let endpointId: string;

const cli = (args: string[], place: Partial<Terminal> = {}) =>
  run(args, { env: { EVENTBUS_URL: erp.url, EVENTBUS_ADMIN_TOKEN: erp.settings.adminToken }, ...place });

async function json(...args: string[]) {
  const { code, out, err } = await cli([...args, '--json']);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

/** An invoice that the receiver refuses permanently, which blocks the lane of its stream. */
async function makeDeadLetter(): Promise<{ deliveryId: string; eventId: string; laneId: string }> {
  receiver.otherwise(400);
  const { body } = await erp.request('POST', '/invoices', newInvoice(erp.tenantId));
  const streamKey = `invoice:${body.invoiceId}`;
  const lane = await waitFor(
    async () => (await json('lanes')).items.find((one: { streamKey: string }) => one.streamKey === streamKey),
    'the lane to be blocked',
  );
  receiver.otherwise(204);
  const { items } = await json('dlq', 'list', '--endpoint', endpointId);
  const dead = items.find((one: { deliveryId: string }) => one.deliveryId === lane.blockedBy);
  return { deliveryId: dead.deliveryId, eventId: dead.eventId, laneId: lane.laneId };
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'kernel-cli-'));
  receiver = await WebhookReceiver.start();
  erp = await startTestErp({ role: 'all' });
  const settings = ['--type', 'invoice.created.v1', '--ordering', 'stream', '--name', 'billing\u001b[31m'];
  const added = await json('endpoints', 'add', receiver.url, '--tenant', erp.tenantId, ...settings);
  expect(added).toMatchObject({ url: receiver.url, ordering: 'stream', secret: expect.stringMatching(/^whsec_/) });
  endpointId = added.endpointId;
});
afterAll(async () => {
  await erp?.close();
  await receiver?.stop();
  await rm(scratch, { recursive: true, force: true });
});

it('status shows health and counts', async () => {
  await waitFor(async () => (await json('status')).health.details.workers.status === 'up', 'a worker');
  expect(await json('status')).toMatchObject({ health: { status: 'ok' }, counts: { endpoints: 1, deadLetters: 0 } });
  const { code, out } = await cli(['status']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^ok[^]*database +up[^]*endpoints +1\n/)]);
});

it('endpoints are listed, tested, rotated, disabled and enabled; what is written in them cannot steer the terminal', async () => {
  const { out } = await cli(['endpoints', 'list', '--tenant', erp.tenantId]);
  expect(out).toMatch(new RegExp(`^ENDPOINT +TENANT[^]*${endpointId}.*billing \\[31m.*invoice.created.v1`));
  expect(await json('endpoints', 'test', endpointId)).toMatchObject({ delivered: true, statusCode: 204 });
  receiver.otherwise(500);
  const failed = await cli(['endpoints', 'test', endpointId]);
  receiver.otherwise(204);
  expect(failed).toMatchObject({ code: 1, err: 'kernel-eventbus: the test was not delivered\n' });
  const rotated = await json('endpoints', 'rotate-secret', endpointId, '--overlap-seconds', '0');
  expect(rotated).toMatchObject({ version: 2, secret: expect.stringMatching(/^whsec_/), overlapping: [] });
  expect(await json('endpoints', 'disable', endpointId)).toMatchObject({ isEnabled: false });
  expect(await json('endpoints', 'enable', endpointId)).toMatchObject({ isEnabled: true });
});

it('events and deliveries are listed and shown', async () => {
  const { deliveryId, eventId } = await makeDeadLetter();
  expect((await json('events', 'list', '--tenant', erp.tenantId, '--limit', '1')).items).toHaveLength(1);
  expect((await cli(['events', 'list'])).out).toContain(eventId);
  expect(await json('events', 'show', eventId)).toMatchObject({ eventId, payload: { region: 'EU' } });
  const listed = await json('deliveries', 'list', '--event', eventId, '--status', 'DLQ');
  expect(listed).toMatchObject({ items: [{ deliveryId, status: 'DLQ' }], nextCursor: null });
  const { out } = await cli(['deliveries', 'show', deliveryId]);
  expect(out).toMatch(/status +DLQ\n[^]*ATTEMPT +AT +STATUS[^]*\n1 .* 400 /);
  expect(await json('deliveries', 'replay', deliveryId, '--reason', 'repaired')).toMatchObject({ deliveryId });
  await waitFor(async () => (await json('deliveries', 'show', deliveryId)).status === 'DELIVERED', 'the delivery');
});

it('dead letters are replayed when somebody says yes, and followed to the end', async () => {
  const { deliveryId } = await makeDeadLetter();
  const replay = ['dlq', 'replay', '--endpoint', endpointId, '--reason', 'receiver repaired'];
  expect(await json(...replay, '--dry-run')).toEqual({ count: 1 });
  expect(await cli(replay)).toMatchObject({ code: 2, err: expect.stringContaining('say --yes') });
  const questions: string[] = [];
  const ask = (answer: string) => (question: string) => Promise.resolve((questions.push(question), answer));
  expect(await cli(replay, { ask: ask('') })).toMatchObject({ code: 1, err: expect.stringContaining('nothing was') });
  expect((await json('deliveries', 'show', deliveryId)).status).toBe('DLQ');

  const done = await cli(replay, { ask: ask('y'), isWatched: true });
  expect(questions).toEqual(Array(2).fill('Replay 1 dead letters? [y/N] '));
  expect(done).toMatchObject({ code: 0, out: expect.stringMatching(/state +completed\ndone +1\nfailed +0\n/) });
  expect(done.err).toMatch(/\[#{30}\] 100 % 1\/1\n$/);
  await waitFor(async () => (await json('deliveries', 'show', deliveryId)).status === 'DELIVERED', 'the delivery');
  expect(await json(...replay, '--yes')).toEqual({ count: 0 });
});

it('a replay goes on without being watched, and a blocked lane can be skipped', async () => {
  const { laneId, deliveryId } = await makeDeadLetter();
  expect((await cli(['lanes'])).out).toMatch(new RegExp(`${laneId}.* true .*${deliveryId}`));
  const skipped = await json('lanes', 'skip', laneId, '--reason', 'never taken');
  expect(skipped).toMatchObject({ laneId, isBlocked: false });
  expect((await json('lanes')).items).toEqual([]);
  expect((await json('lanes', 'list', '--all')).items).toContainEqual(expect.objectContaining({ laneId }));
  const again = await cli(['lanes', 'skip', laneId, '--reason', 'never taken']);
  expect(again).toMatchObject({ code: 1, err: expect.stringMatching(/^kernel-eventbus: 409 conflict: .*not blocked/) });
  const ordered = await json('dlq', 'replay', '--reason', 'all of them', '--yes', '--no-wait');
  expect(ordered).toEqual({ operationId: expect.any(String) });
});

it('the ledger is verified, and exported into a new file or a pipe', async () => {
  expect(await json('audit', 'verify')).toMatchObject({ isIntact: true });
  const broken = await cli(['audit', 'verify', '--anchor', '999999:c2VhbA==']);
  expect(broken).toMatchObject({ code: 1, err: expect.stringMatching(/the ledger is broken: seal-removed/) });
  const file = join(scratch, 'ledger.ndjson');
  expect(await json('audit', 'export', '--out', file)).toEqual({ file });
  const text = await readFile(file, 'utf8');
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).line)[0],
  ).toBe('ledger');
  expect(await cli(['audit', 'export', '--out', file])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there already'),
  });
  expect((await cli(['audit', 'export'])).out).toMatch(/^\{"line":"ledger"/);
});

it('partitions are listed, and what would be pruned', async () => {
  expect((await json('partitions')).items).toContainEqual(expect.objectContaining({ state: 'current' }));
  expect((await cli(['partitions', '--limit', '1'])).err).toMatch(/^there are more: .*--cursor /);
  expect(await json('prune', '--dry-run')).toMatchObject({ dryRun: true, isComplete: true });
  expect((await cli(['prune'])).out).toMatch(/^gone: 0 delivered, 0 dead letters/);
});

it('what the API refuses is one line that names the fields, with exit code 1', async () => {
  const bad = await cli(['events', 'list', '--tenant', 'nobody', '--since', 'yesterday']);
  expect(bad).toMatchObject({ code: 1, out: '' });
  expect(bad.err).toMatch(/^kernel-eventbus: 400 .*tenantId: .*since: .*\(trace \S+\)\n$/);
  const unknown = await cli(['deliveries', 'show', NOBODY]);
  expect(unknown.err).toMatch(/^kernel-eventbus: 404 not-found: there is no such delivery/);
  const elsewhere = await cli(['events', 'show', '../tokens']);
  expect(elsewhere).toMatchObject({ code: 1, err: expect.stringMatching(/: 400 .*id/) });
  const tokenFile = join(scratch, 'token');
  await writeFile(tokenFile, 'not-the-token\n');
  const stranger = await cli(['events', 'list', '--token-file', tokenFile]);
  expect(stranger).toMatchObject({ code: 1, err: expect.stringContaining('401 unauthorized') });
  expect(stranger.err).not.toContain('not-the-token');
});
