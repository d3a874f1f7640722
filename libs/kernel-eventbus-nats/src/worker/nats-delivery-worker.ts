import { setTimeout as delay } from 'node:timers/promises';
import { createOutgoingHttp, faultOf, type OutgoingHttp } from '@kernel/eventbus';
import type { Consumer, ConsumerInfo } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { NatsLink } from '../connection/nats-link.js';
import { JobSeal } from '../queue/job-seal.js';
import { prepareQueue } from '../queue/prepare-queue.js';
import { JobRunner } from './job-runner.js';
import {
  resolveWorkerConfig,
  type NatsDeliveryWorkerConfig,
  type NatsDeliveryWorkerOptions,
} from './worker.options.js';

/** Duration of one pull, and so the longest time an idle worker takes to stop. */
const PULL_MS = 1_000;
const PAUSE_MS = 250;

/**
 * Sends webhooks that engines have redacted, signed and queued. It needs NATS and outgoing HTTP, and no database. It
 * pulls as many jobs as it has free slots, so no job waits here while another worker is idle.
 */
export class NatsDeliveryWorker {
  readonly #logger = new Logger(NatsDeliveryWorker.name);
  readonly #config: NatsDeliveryWorkerConfig;
  readonly #link: NatsLink;
  readonly #http: OutgoingHttp;
  readonly #runner: JobRunner;
  readonly #stopping = new AbortController();
  readonly #abandon = new AbortController();
  readonly #running = new Set<Promise<void>>();
  #looking: Promise<void> = Promise.resolve();

  constructor(options: NatsDeliveryWorkerOptions) {
    this.#config = resolveWorkerConfig(options);
    const { connection, queue, streams, outgoing, concurrency } = this.#config;
    this.#link = new NatsLink(connection, (jsm) => prepareQueue(jsm, queue, streams));
    this.#http = createOutgoingHttp({ ...outgoing, concurrency });
    this.#runner = new JobRunner(this.#link, queue, new JobSeal(queue), this.#http, this.#abandon.signal);
  }

  async start(): Promise<void> {
    await this.#link.open();
    this.#looking = this.look();
  }

  /** Stops pulling, finishes requests in flight within the deadline and returns the rest to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const deadline = setTimeout(() => this.#abandon.abort(), this.#config.shutdownTimeoutMs);
    await this.#looking;
    await Promise.all(this.#running);
    clearTimeout(deadline);
    await this.#http.onApplicationShutdown();
    await this.#link.close();
  }

  private async look(): Promise<void> {
    const { concurrency } = this.#config;
    while (!this.#stopping.signal.aborted) {
      if (this.#running.size >= concurrency) {
        await Promise.race(this.#running);
      } else {
        await this.take(concurrency - this.#running.size).catch((error: unknown) => this.cannotTake(error));
      }
    }
  }

  private async take(count: number): Promise<void> {
    const jobs = await this.consumer().fetch({ max_messages: count, expires: PULL_MS, bind: true });
    for await (const job of jobs) {
      const running: Promise<void> = this.#runner.run(job).finally(() => this.#running.delete(running));
      this.#running.add(running);
    }
  }

  /**
   * By name, without a request: the link has ensured that it exists, and a request lost with the broker would block.
   */
  private consumer(): Consumer {
    const { jobs, consumer } = this.#config.queue;
    const named = { stream_name: jobs.stream, name: consumer, config: {} } as ConsumerInfo;
    return this.#link.require().js.consumers.getConsumerFromInfo(named);
  }

  private async cannotTake(error: unknown): Promise<void> {
    this.#logger.debug({ msg: 'no jobs could be asked for; trying again', fault: faultOf(error) });
    await delay(PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}
