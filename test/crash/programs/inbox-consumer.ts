import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { Inbox, type Work } from '@kernel/inbox';
import { JetStreamConsumer } from '@kernel/inbox/jetstream';
import { MikroORM } from '@mikro-orm/postgresql';
import { connect } from '@nats-io/transport-node';
import { obey } from './obey.ts';

export interface InboxSetup {
  databaseUrl: string;
  secret: string;
  /** Source of the events: webhooks to a port, or a broker. */
  source: { port: number } | { natsUrl: string };
  /** Dies at the n-th event, in its transaction or between its commit and the answer. */
  death?: { moment: 'before the commit' | 'after the commit'; at: number; markerFile: string };
}

/** The consumer of a company that does not run the kernel. */
obey<InboxSetup>(async ({ databaseUrl, secret, source, death }, untilTold, begun) => {
  const orm = await MikroORM.init({
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  const inbox = Inbox.of(orm.em, { name: 'crash', keys: [secret] });
  const times = { 'before the commit': 0, 'after the commit': 0 };
  const reached = (moment: 'before the commit' | 'after the commit') => {
    if (++times[moment] === death?.at && moment === death.moment) {
      writeFileSync(death.markerFile, moment);
      process.kill(process.pid, 'SIGKILL');
    }
  };
  const work: Work = async ({ eventId }, em) => {
    await em.execute('insert into effect (event_id) values (?)', [eventId]);
    reached('before the commit');
  };

  const stop = 'port' in source ? await receiveWebhooks(source.port) : consume(source.natsUrl);
  begun();
  if (!untilTold.aborted) {
    await once(untilTold, 'abort');
  }
  await stop();
  await orm.close(true);

  async function receiveWebhooks(port: number): Promise<() => Promise<unknown>> {
    const server = createServer((request, response) => {
      void readAll(request)
        .then(async (body) => inbox.process(await inbox.verify({ headers: request.headers, body }), work))
        .then(() => reached('after the commit'))
        .then(
          () => response.writeHead(204).end(),
          () => response.writeHead(500).end(),
        );
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return () => once(server.close(), 'close');
  }

  function consume(servers: string): () => Promise<unknown> {
    const connection = () => connect({ servers, maxReconnectAttempts: -1 });
    const onReceived = () => reached('after the commit');
    const consumer = JetStreamConsumer.start(
      inbox,
      { connection, durable: 'crash', ackWaitMs: 1_000, onReceived },
      work,
    );
    return () => consumer.stop();
  }
});

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
