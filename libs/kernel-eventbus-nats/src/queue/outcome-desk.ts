import { faultOf, type OutgoingResult } from '@kernel/eventbus';
import { Logger } from '@nestjs/common';
import { createInbox, type Msg } from '@nats-io/transport-node';
import type { LiveLink, NatsLink } from '../connection/nats-link.js';
import { ID_HEADER, openOutcome, outcomeSubject } from './job.js';
import type { JobSeal } from './job-seal.js';
import type { NatsQueueConfig } from './queue.options.js';

const FIRST_LOOK_MS = 1_000;
const LOOK_EVERY_MS = 250;

interface Expected {
  resolve: (outcome: OutgoingResult) => void;
  askedAt: number;
  nextLookAt: number;
}

/**
 * Where outcomes arrive. Each is in a stream before this process hears of it; a word that gets lost, with the broker or with the
 * process that it was meant for, is made up for by looking into the stream, at growing intervals and after every reconnect.
 */
export class OutcomeDesk {
  readonly inbox = createInbox();
  readonly #logger = new Logger(OutcomeDesk.name);
  readonly #expected = new Map<string, Expected>();
  #timer: NodeJS.Timeout | undefined;
  #listensOn: LiveLink | undefined;

  constructor(
    private readonly link: NatsLink,
    private readonly config: NatsQueueConfig,
    private readonly seal: JobSeal,
  ) {}

  open(): void {
    this.link.onConnected((live) => {
      if (this.#listensOn !== live) {
        this.#listensOn = live;
        live.nc.subscribe(this.inbox, { callback: (_error, msg) => this.hear(msg) });
      }
      this.lookForAll();
    });
    this.#timer = setInterval(() => this.lookForDue(performance.now()), LOOK_EVERY_MS);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** Fulfilled when the outcome is known; to be forgotten by whoever no longer waits for it. */
  expect(jobId: string): Promise<OutgoingResult> {
    const { promise, resolve } = Promise.withResolvers<OutgoingResult>();
    const now = performance.now();
    this.#expected.set(jobId, { resolve, askedAt: now, nextLookAt: now + FIRST_LOOK_MS });
    return promise;
  }

  forget(jobId: string): void {
    this.#expected.delete(jobId);
  }

  /** What the stream knows of it, if anything. */
  async find(jobId: string): Promise<OutgoingResult | undefined> {
    const { jsm } = this.link.require();
    const subject = outcomeSubject(this.config.prefix, jobId);
    const message = await jsm.direct.getMessage(this.config.outcomes.stream, { last_by_subj: subject });
    return message ? this.read(jobId, message.data) : undefined;
  }

  look(jobId: string): void {
    this.find(jobId).then(
      (outcome) => outcome && this.arrived(jobId, outcome),
      (error: unknown) => this.#logger.debug({ msg: 'an outcome was not looked up', fault: faultOf(error) }),
    );
  }

  private hear(msg: Msg | undefined): void {
    // A subscription that the broker refuses is told so without a message.
    const jobId = msg?.headers?.get(ID_HEADER) ?? '';
    const outcome = this.#expected.has(jobId) ? this.read(jobId, msg!.data) : undefined;
    if (outcome) {
      this.arrived(jobId, outcome);
    }
  }

  private read(jobId: string, data: Uint8Array): OutgoingResult | undefined {
    const outcome = openOutcome(this.seal, jobId, data);
    if (!outcome) {
      this.#logger.error({ msg: 'an outcome cannot be opened: do engines and workers have the same key?', jobId });
    }
    return outcome;
  }

  private arrived(jobId: string, outcome: OutgoingResult): void {
    this.#expected.get(jobId)?.resolve(outcome);
    this.#expected.delete(jobId);
  }

  private lookForAll(): void {
    [...this.#expected.keys()].forEach((jobId) => this.look(jobId));
  }

  private lookForDue(now: number): void {
    for (const [jobId, expected] of this.#expected) {
      if (now >= expected.nextLookAt) {
        // As long again as it has taken so far: a slow receiver is asked about a few times only.
        expected.nextLookAt = now + Math.max(FIRST_LOOK_MS, now - expected.askedAt);
        this.look(jobId);
      }
    }
  }
}
