import { waitFor } from '@kernel/eventbus/testing';
import type { NatsDeliveryWorkerOptions } from '@kernel/eventbus-nats';
import { describeWithNats, NatsServer } from '@kernel/test-support/nats-server';
import { CrashRun, PATIENCE_MS } from './crash-run.js';
import { startOwnPostgres, type OwnPostgres } from './own-postgres.js';
import { Program } from './program.js';
import type { NatsEngineSetup } from './programs/nats-engine.js';
import { reconcile } from './reconcile.js';

const KILLED = { code: null, signal: 'SIGKILL' };
const BETWEEN_FAULTS = 60;

describeWithNats('deliveries that workers elsewhere send from a NATS queue', () => {
  let postgres: OwnPostgres;
  let nats: NatsServer;
  let run: CrashRun;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    process.env.TEST_POSTGRES_URL = postgres.url;
    nats = await NatsServer.start();
    run = await CrashRun.start();
  }, PATIENCE_MS);
  afterAll(async () => {
    await run?.close();
    await nats?.stop();
    await postgres?.stop();
  }, PATIENCE_MS);

  const shared = () => ({
    connection: { servers: nats.url },
    queue: { key: Buffer.alloc(32, 1).toString('base64'), ackWaitMs: 1_000, jobs: { maxAgeMs: 10_000 } },
  });
  const spareEngine = () => run.track(new Program<NatsEngineSetup>('nats-engine'));
  const beginEngine = (engine: Program<NatsEngineSetup>) =>
    engine.begin({ ...run.setup({ role: 'worker' }), nats: shared() });
  const spareSender = () => run.track(new Program<NatsDeliveryWorkerOptions>('nats-sender'));
  const beginSender = (sender: Program<NatsDeliveryWorkerOptions>) =>
    sender.begin({ ...shared(), concurrency: 8, outgoing: { allowHttp: true, allowedCidrs: ['127.0.0.0/8'] } });
  const someMore = () => {
    const before = run.receiver.receipts.length;
    return waitFor(() => run.receiver.receipts.length > before + BETWEEN_FAULTS, 'more webhooks');
  };

  it(
    '[ADR-2] [KER-2.2] [KER-2.3] lose nothing and keep their order when worker, broker, database and engine are killed in turn',
    async () => {
      const [victim, sender, engine, heir] = [spareSender(), spareSender(), spareEngine(), spareEngine()];
      await Promise.all([beginSender(victim), beginSender(sender), beginEngine(engine)]);
      const publisher = await run.startPublisher({ pauseMs: 50 });
      await someMore();

      expect(await victim.kill()).toEqual(KILLED);
      await someMore();

      await nats.kill();
      await nats.start();
      await someMore();

      await postgres.restartImmediately();
      await someMore();

      const heirBegins = beginEngine(heir);
      expect(await engine.kill()).toEqual(KILLED);
      await heirBegins;
      await someMore();

      expect(await publisher.terminate()).toEqual({ code: 0, signal: null });
      const { committed, repeats } = await reconcile(run);
      expect(committed).toBeGreaterThan(BETWEEN_FAULTS);
      // Each death may repeat the deliveries in flight, and no more.
      expect(repeats).toBeLessThan(committed);
    },
    PATIENCE_MS,
  );
});
