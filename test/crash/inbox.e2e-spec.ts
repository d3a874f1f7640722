import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@kernel/eventbus/testing';
import { jetstreamManager } from '@nats-io/jetstream';
import { createConsumerDatabase, type ConsumerDatabase } from '@kernel/test-support/consumer-database';
import { SECRET, signedMessage } from '@kernel/test-support/signed-message';
import { SinkStandIn } from '@kernel/test-support/sink-stand-in';
import { describeWithNats, freePort, NatsServer } from '@kernel/test-support/nats-server';
import { PATIENCE_MS } from './crash-run.js';
import { Program } from './program.js';
import type { InboxSetup } from './programs/inbox-consumer.js';

const MOMENTS = ['before the commit', 'after the commit'] as const;
const EVENTS = 9;
const DEATH_AT = 3;

describe("a consumer's effect happens exactly once although its process is killed", () => {
  let database: ConsumerDatabase;
  let directory: string;
  let programs: Program<InboxSetup>[];
  beforeEach(async () => {
    database = await createConsumerDatabase();
    directory = await mkdtemp(join(tmpdir(), 'kernel-crash-inbox-'));
    programs = [...MOMENTS, 'the heir'].map(() => new Program<InboxSetup>('inbox-consumer'));
  });
  afterEach(async () => {
    await Promise.all(programs.filter(({ isAlive }) => isAlive).map((program) => program.terminate()));
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });

  const effects = async () =>
    (await database.query<{ event_id: string }>('select event_id from effect order by effect_id')).map(
      ({ event_id }) => event_id,
    );

  /**
   * Runs a process that dies in the transaction, one that dies after the commit, and one that survives, during `send`.
   */
  async function runAll(source: InboxSetup['source'], send: () => Promise<void>): Promise<void> {
    const setup = { databaseUrl: database.url, secret: SECRET, source };
    let sending: Promise<void> | undefined;
    for (const [n, moment] of MOMENTS.entries()) {
      const before = (await effects()).length;
      const markerFile = join(directory, `died ${moment}`);
      await programs[n]!.begin({ ...setup, death: { moment, at: DEATH_AT, markerFile } });
      sending ??= send();
      expect(await programs[n]!.ends()).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await readFile(markerFile, 'utf8')).toBe(moment);
      expect((await effects()).length - before).toBe(moment === 'before the commit' ? DEATH_AT - 1 : DEATH_AT);
    }
    await programs.at(-1)!.begin(setup);
    await sending;
  }

  it(
    '[ADR-11] before and after the commit, by webhook',
    async () => {
      const port = await freePort();
      const messages = Array.from({ length: EVENTS }, () => signedMessage());
      const isTaken = async ({ headers, body }: (typeof messages)[number]) => {
        const request = { method: 'POST', headers, body: new Uint8Array(body) };
        const answer = await fetch(`http://127.0.0.1:${port}`, request).catch(() => undefined);
        return answer?.status === 204;
      };
      await runAll({ port }, async () => {
        for (const message of messages) {
          await waitFor(() => isTaken(message), 'an answer');
        }
      });
      // The sender, having lost its records, sends everything once more.
      expect(await Promise.all(messages.map(isTaken))).toEqual(messages.map(() => true));
      expect(await effects()).toEqual(messages.map(({ event }) => event.eventId));
    },
    PATIENCE_MS,
  );

  describeWithNats('by JetStream', () => {
    let server: NatsServer;
    let sink: SinkStandIn;
    beforeEach(async () => {
      server = await NatsServer.start();
      sink = await SinkStandIn.connect(server.url);
      await sink.makeStream();
    });
    afterEach(async () => {
      await sink?.close();
      await server?.stop();
    });

    it(
      '[ADR-11] before and after the commit',
      async () => {
        const ids: string[] = [];
        await runAll({ natsUrl: server.url }, async () => {
          for (let n = 0; n < EVENTS; n++) {
            ids.push((await sink.publish()).event.eventId);
          }
        });
        const { consumers } = await jetstreamManager(sink.connection);
        await waitFor(async () => {
          const { num_pending, num_ack_pending } = await consumers.info('KERNEL_EVENTS', 'crash');
          return num_pending + num_ack_pending === 0;
        }, 'everything to be acknowledged');
        expect(await effects()).toEqual(ids);
      },
      PATIENCE_MS,
    );
  });
});
