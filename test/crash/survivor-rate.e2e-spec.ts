import type { ServerResponse } from 'node:http';
import { waitFor } from '@kernel/eventbus/testing';
import { CrashRun, PAID, PATIENCE_MS, PLACED } from './crash-run.js';
import { reconcile } from './reconcile.js';
import type { Behaviour } from '@kernel/test-support/recording-receiver';

const CONCURRENCY = 32;
/** Minimum deliveries held by a fully loaded worker. */
const FULL = 5 * CONCURRENCY;
/** Maximum share of a worker's slots for suspects. */
const SUSPECT_SHARE = 0.25;
/** Minimum share of its slots that the survivor has for other work. */
const MIN_SHARE = 0.6;
/** More rounds than the survivor can serve from its prefetched deliveries. */
const ROUNDS = 20;
/** Pause between rounds, so the backlog outlasts the rescue. */
const PAUSE_MS = 200;
const MAX_TRIES = 3;
/** A request waits for the others of its round, or for the test, without a timeout. */
const PATIENT = { timeoutMs: PATIENCE_MS, leaseMs: 3_600_000 };

/**
 * Answers in rounds, each when enough requests are open at once: a worker with fewer active slots gets no answer.
 * Requests lost with a dead worker are held back when they are sent again.
 */
class RoundAnswers {
  rounds = 0;
  /** Deliveries whose request was lost with its worker. */
  readonly lost = new Set<string>();
  readonly open = new Set<ServerResponse>();
  readonly held = new Set<ServerResponse>();
  #isPaused = false;
  #nextRound: NodeJS.Timeout | undefined;

  constructor(
    private readonly minOpen: number,
    private readonly maxHeld: number,
  ) {}

  readonly take: Behaviour = (response) => {
    const deliveryId = response.req.headers['x-kernel-delivery-id'] as string;
    const requests = this.lost.has(deliveryId) && this.held.size < this.maxHeld ? this.held : this.open;
    requests.add(response);
    response.on('close', () => {
      if (this.open.delete(response) || this.held.delete(response)) {
        this.lost.add(deliveryId);
      }
    });
    this.answerIfFull();
  };

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.answerIfFull();
  }

  /** From now on all are answered in rounds. */
  release(): void {
    this.lost.clear();
    this.held.forEach((response) => this.open.add(response));
    this.held.clear();
    this.answerIfFull();
  }

  /** Answers all open requests, however few. */
  end(): void {
    clearTimeout(this.#nextRound);
    this.release();
    this.answerAll();
  }

  private answerIfFull(): void {
    if (this.#isPaused || this.#nextRound || this.open.size < this.minOpen) {
      return;
    }
    this.rounds++;
    this.answerAll();
    this.#nextRound = setTimeout(() => {
      this.#nextRound = undefined;
      this.answerIfFull();
    }, PAUSE_MS);
  }

  private answerAll(): void {
    const answered = [...this.open];
    this.open.clear();
    answered.forEach((response) => response.writeHead(204).end());
  }
}

describe('a worker beside which another is killed', () => {
  let run: CrashRun;
  let answers: RoundAnswers;
  beforeEach(async () => {
    run = await CrashRun.start((tenantIds) =>
      tenantIds.map((tenantId, index) => ({ name: `tenant-${index}`, tenantId, types: [PLACED, PAID] })),
    );
    answers = new RoundAnswers(MIN_SHARE * CONCURRENCY, SUSPECT_SHARE * CONCURRENCY);
    run.endpoints.forEach(({ name }) => run.receiver.behave(name, answers.take));
  });
  afterEach(async () => {
    run.receiver.heal();
    answers.end();
    await run.close();
  });

  const workersWithFullHands = () =>
    run.database.query(
      `select leased_by from kernel_webhook_delivery where leased_by is not null and status in ('PENDING', 'FAILED')
       group by 1 having count(*) >= $1`,
      [FULL],
    );

  const suspects = () => run.database.query('select from kernel_webhook_delivery where is_suspect');

  /**
   * True if only the survivor is known, nothing is leased to another worker, and there is no suspect: no death has an
   * effect any more.
   */
  const isSurvivorAlone = async () => {
    const rows = await run.database.query(
      `select from (
         select is_suspect, leased_by from kernel_webhook_delivery where status in ('PENDING', 'FAILED')
         union all select is_suspect, leased_by from kernel_lane
       ) held
       where is_suspect or leased_by not in (select worker_id from kernel_worker)
       union all (select from kernel_worker offset 1)`,
    );
    return rows.length === 0;
  };

  it(
    `keeps ${100 * MIN_SHARE} % of its places at work, whatever the other had in its hands`,
    async () => {
      const publisher = await run.startPublisher({ transactions: 240, eventsPerTransaction: 50, streams: 500 });
      expect(await publisher.ends()).toEqual({ code: 0, signal: null });
      const options = { ...PATIENT, concurrency: CONCURRENCY, perEndpointConcurrency: CONCURRENCY };
      await run.startWorker(options);
      await waitFor(() => answers.rounds >= 2, 'the survivor to be at work');

      /**
       * Resolves when the survivor tries the deliveries that a killed worker had in flight. Returns whether it suspects
       * them.
       */
      const loseWorker = async (): Promise<boolean> => {
        answers.pause();
        const victim = await run.startWorker(options);
        await waitFor(() => answers.open.size >= 2 * CONCURRENCY, 'both to have all places at work');
        await waitFor(async () => (await workersWithFullHands()).length === 2, 'both to have full hands');
        expect(await victim.kill()).toEqual({ code: null, signal: 'SIGKILL' });
        await waitFor(() => answers.lost.size >= SUSPECT_SHARE * CONCURRENCY, 'the requests of the dead to be lost');
        answers.resume();
        await waitFor(() => answers.held.size > 0, 'the survivor to try what the dead had in flight');
        return (await suspects()).length > 0;
      };
      // After a gap in its own heartbeats the survivor is not sure of the death, and suspects nothing.
      let isSuspected = await loseWorker();
      for (let tries = 1; !isSuspected && tries < MAX_TRIES; tries++) {
        answers.release();
        await waitFor(isSurvivorAlone, 'the effects of the death to end');
        isSuspected = await loseWorker();
      }
      expect(isSuspected).toBe(true);

      const roundsBefore = answers.rounds;
      await waitFor(() => answers.rounds >= roundsBefore + ROUNDS, 'rounds of other work while suspects are in flight');
      expect(answers.held.size).toBeGreaterThan(0);
      answers.release();
      await waitFor(isSurvivorAlone, 'the effects of the death to end');

      run.receiver.heal();
      answers.end();
      await reconcile(run);
    },
    2 * PATIENCE_MS,
  );
});
