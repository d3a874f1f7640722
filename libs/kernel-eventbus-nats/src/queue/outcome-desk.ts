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
  /** To be called by whoever no longer waits for it. */
  forget: () => void;
}

/**
 * Where outcomes arrive. Each is in a stream before this process hears of it; a word that gets lost, with the broker or with the
 * process that it was meant for, is made up for by looking into the stream, at growing intervals and after every reconnect.
 */
export class OutcomeDesk {
  readonly inbox = createInbox();
  readonly #logger = new Logger(OutcomeDesk.name);
  /** By job; more than one where this process took a delivery again that it had lost. */
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
    this.#expected.get(jobId)?.forEach(({ resolve }) => resolve(outcome));
  }

  private lookForAll(): void {
    [...this.#expected.keys()].forEach((jobId) => this.look(jobId));
  }

  private lookForDue(now: number): void {
    for (const [jobId, all] of this.#expected) {
      const due = [...all].filter(({ nextLookAt }) => now >= nextLookAt);
      // As long again as it has taken so far: a slow receiver is asked about a few times only.
      due.forEach((one) => (one.nextLookAt = now + Math.max(FIRST_LOOK_MS, now - one.askedAt)));
      if (due.length > 0) {
        this.look(jobId);
      }
    }
  }
}
