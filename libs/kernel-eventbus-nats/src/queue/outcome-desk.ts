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

export interface ExpectedOutcome {
  outcome: Promise<OutgoingResult>;
  /** Call it when the outcome is no longer awaited. */
  forget: () => void;
}

/**
 * Receives outcomes. Each is in a stream before this process is notified; a lost notification is made up for by reading
 * the stream, at growing intervals and after every reconnect.
 */
export class OutcomeDesk {
  readonly inbox = createInbox();
  readonly #logger = new Logger(OutcomeDesk.name);
  /** By job; several if this process claimed a delivery again after losing it. */
  readonly #expected = new Map<string, Set<Expected>>();
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

  expect(jobId: string): ExpectedOutcome {
    const { promise, resolve } = Promise.withResolvers<OutgoingResult>();
    const now = performance.now();
    const expected = { resolve, askedAt: now, nextLookAt: now + FIRST_LOOK_MS };
    const all = this.#expected.get(jobId) ?? new Set();
    this.#expected.set(jobId, all.add(expected));
    const forget = () => {
      if (all.delete(expected) && all.size === 0) {
        this.#expected.delete(jobId);
      }
    };
    return { outcome: promise, forget };
  }

  /** The stored outcome of a job, if any. */
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
    // A refused subscription calls back without a message.
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
    this.#expected.get(jobId)?.forEach(({ resolve }) => resolve(outcome));
  }

  private lookForAll(): void {
    [...this.#expected.keys()].forEach((jobId) => this.look(jobId));
  }

  private lookForDue(now: number): void {
    for (const [jobId, all] of this.#expected) {
      const due = [...all].filter(({ nextLookAt }) => now >= nextLookAt);
      // The interval doubles with the age of the job, so a slow receiver causes few reads.
      due.forEach((one) => (one.nextLookAt = now + Math.max(FIRST_LOOK_MS, now - one.askedAt)));
      if (due.length > 0) {
        this.look(jobId);
      }
    }
  }
}
