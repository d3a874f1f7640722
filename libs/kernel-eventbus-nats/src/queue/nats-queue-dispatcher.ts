import {
  InvocationDeferredError,
  type HandedDelivery,
  type Handoff,
  type HandoffResult,
  type OutgoingRequest,
  type OutgoingResult,
  type WebhookDispatcher,
} from '@kernel/eventbus';
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { NatsLink } from '../connection/nats-link.js';
import { NatsConfig } from '../nats.options.js';
import { NatsConfigurationError } from '../nats.errors.js';
import { describeRefusal } from '../streams/publish-refusal.js';
import { jobHeaders, jobIdOf, jobSubject, sealJob } from './job.js';
import { JobSeal } from './job-seal.js';
import { OutcomeDesk } from './outcome-desk.js';
import type { NatsQueueConfig } from './queue.options.js';

/**
 * Enqueues each attempt on a JetStream work queue, from which workers on any machine send it. The delivery stays
 * PENDING and leased here until its outcome is back. A fault of the queue costs no attempt: the delivery is deferred.
 */
@Injectable()
export class NatsQueueDispatcher implements WebhookDispatcher, OnModuleInit, OnApplicationShutdown {
  readonly #queue: NatsQueueConfig | undefined;
  readonly #seal: JobSeal | undefined;
  readonly #desk: OutcomeDesk | undefined;

  constructor(
    private readonly link: NatsLink,
    { queue }: NatsConfig,
  ) {
    this.#queue = queue;
    this.#seal = queue && new JobSeal(queue);
    this.#desk = queue && new OutcomeDesk(link, queue, this.#seal!);
  }

  get name(): string {
    return this.queue.dispatcher;
  }

  onModuleInit(): void {
    this.#desk?.open();
  }

  onApplicationShutdown(): void {
    this.#desk?.close();
  }

  async dispatch(handoff: Handoff): Promise<HandoffResult> {
    void handoff.invoke((request) => this.sendByWorker(handoff.delivery, request));
    return { status: 'enqueued' };
  }

  private get queue(): NatsQueueConfig {
    if (!this.#queue) {
      throw new NatsConfigurationError('the queue dispatcher has no options: give NatsModule a `queue`');
    }
    return this.#queue;
  }

  private async sendByWorker(delivery: HandedDelivery, request: OutgoingRequest): Promise<OutgoingResult> {
    const jobId = jobIdOf(delivery, request);
    const { outcome, forget } = this.#desk!.expect(jobId);
    try {
      const known = await this.enqueue(jobId, delivery, request);
      return known ?? (await this.inTime(outcome, request));
    } finally {
      forget();
    }
  }

  /** Returns the outcome if an earlier process enqueued the same job and it is already known. */
  private async enqueue(
    jobId: string,
    delivery: HandedDelivery,
    request: OutgoingRequest,
  ): Promise<OutgoingResult | undefined> {
    try {
      // Claimed more often than attempted: another process may have enqueued it.
      const known = delivery.leaseEpoch > delivery.attempt ? await this.#desk!.find(jobId) : undefined;
      if (known) {
        return known;
      }
      const subject = jobSubject(this.queue.prefix, delivery.tenantId);
      const headers = jobHeaders(this.#desk!.inbox);
      const ack = await this.link.publish(subject, sealJob(this.#seal!, jobId, request), { msgID: jobId, headers });
      if (ack.duplicate) {
        this.#desk!.look(jobId);
      }
      return undefined;
    } catch (error) {
      const { kind, message } = describeRefusal(error, this.queue.jobs.stream);
      if (kind === 'too-large') {
        return { kind: 'failure', errorClass: 'dispatcher', message, latencyMs: 0 };
      }
      throw new InvocationDeferredError(kind === 'full' ? 'queue_full' : 'queue_unavailable', message, {
        cause: error,
      });
    }
  }

  private async inTime(outcome: Promise<OutgoingResult>, request: OutgoingRequest): Promise<OutgoingResult> {
    const { jobs, ackWaitMs } = this.queue;
    const over = Promise.withResolvers<never>();
    const giveUp = () =>
      over.reject(
        new InvocationDeferredError(
          'queue_silent',
          `no worker has sent it within ${jobs.maxAgeMs} ms: is one running, with the same key?`,
        ),
      );
    const stop = () => over.reject(new Error('given up before an outcome was known'));
    // A job taken at the last moment may run for the whole request timeout, and its loss is noticed after ackWaitMs.
    const timer = setTimeout(giveUp, jobs.maxAgeMs + request.timeoutMs + ackWaitMs);
    request.signal?.addEventListener('abort', stop, { once: true });
    try {
      // A listener added after the abort, for example during the publish, is not called.
      if (request.signal?.aborted) {
        stop();
      }
      return await Promise.race([outcome, over.promise]);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', stop);
    }
  }
}
