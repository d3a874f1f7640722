import { setTimeout as delay } from 'node:timers/promises';
import { faultOf, type OutgoingHttp, type OutgoingResult } from '@kernel/eventbus';
import type { JsMsg } from '@nats-io/jetstream';
import { Logger } from '@nestjs/common';
import { headers as natsHeaders } from '@nats-io/transport-node';
import type { NatsLink } from '../connection/nats-link.js';
import { ID_HEADER, openJob, outcomeSubject, REPLY_HEADER, sealOutcome, type Job } from '../queue/job.js';
import type { JobSeal } from '../queue/job-seal.js';
import type { NatsQueueConfig } from '../queue/queue.options.js';

/** A job handed out this often without an outcome may crash its workers: the attempt has failed. */
const MAX_HANDOUTS = 5;
const STORE_AGAIN_MS = 250;
/** Pings per ackWaitMs. */
const PINGS_PER_WAIT = 3;

/** Sends one job, stores its outcome and then acknowledges it: after a crash in between another worker gets the job. */
export class JobRunner {
  readonly #logger = new Logger(JobRunner.name);

  constructor(
    private readonly link: NatsLink,
    private readonly queue: NatsQueueConfig,
    private readonly seal: JobSeal,
    private readonly http: OutgoingHttp,
    /** Aborted at the end of the shutdown timeout. */
    private readonly signal: AbortSignal,
  ) {}

  async run(message: JsMsg): Promise<void> {
    const pings = setInterval(() => message.working(), this.queue.ackWaitMs / PINGS_PER_WAIT);
    try {
      await this.settle(message);
    } catch (error) {
      this.#logger.error({ msg: 'a job was not settled; it comes again', fault: faultOf(error) });
    } finally {
      clearInterval(pings);
    }
  }

  private async settle(message: JsMsg): Promise<void> {
    const jobId = message.headers?.get(ID_HEADER) ?? '';
    if (message.redelivered && (await this.isSettled(jobId))) {
      message.ack();
      return;
    }
    const opened = openJob(this.seal, jobId, message.data);
    if (!opened) {
      this.#logger.error({ msg: 'a job cannot be opened: do engines and workers have the same key?', jobId });
      message.nak(this.queue.ackWaitMs);
      return;
    }
    const outcome = await this.send(opened.value, message.info.deliveryCount);
    if (this.signal.aborted) {
      message.nak();
      return;
    }
    await this.store(jobId, sealOutcome(opened.answerWith, jobId, outcome), message.headers?.get(REPLY_HEADER));
    message.ack();
  }

  private async isSettled(jobId: string): Promise<boolean> {
    const subject = outcomeSubject(this.queue.prefix, jobId);
    const { jsm } = this.link.require();
    return (await jsm.direct.getMessage(this.queue.outcomes.stream, { last_by_subj: subject })) !== null;
  }

  private async send(job: Job, handouts: number): Promise<OutgoingResult> {
    if (handouts > MAX_HANDOUTS) {
      const message = `${MAX_HANDOUTS} workers were lost while they sent it`;
      return { kind: 'failure', errorClass: 'dispatcher', message, latencyMs: 0 };
    }
    try {
      return await this.http.post({ ...job, signal: this.signal });
    } catch (error) {
      const { message } = faultOf(error);
      return { kind: 'failure', errorClass: 'dispatcher', message, latencyMs: 0 };
    }
  }

  /** The request was sent, so a broker that is unavailable is waited for to store the outcome. */
  private async store(jobId: string, outcome: Uint8Array, replyTo: string | undefined): Promise<void> {
    const subject = outcomeSubject(this.queue.prefix, jobId);
    for (let tries = 1; ; tries++) {
      try {
        await this.link.publish(subject, outcome, { msgID: jobId });
        if (replyTo) {
          const headers = natsHeaders();
          headers.set(ID_HEADER, jobId);
          this.link.require().nc.publish(replyTo, outcome, { headers });
        }
        return;
      } catch (error) {
        if (this.signal.aborted) {
          throw error;
        }
        if (tries === 1) {
          this.#logger.warn({ msg: 'an outcome was not stored; trying again', jobId, fault: faultOf(error) });
        }
        await delay(STORE_AGAIN_MS);
      }
    }
  }
}
