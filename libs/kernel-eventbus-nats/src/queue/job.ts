import { createHash } from 'node:crypto';
import type { HandedDelivery, OutgoingRequest, OutgoingResult } from '@kernel/eventbus';
import { headers as natsHeaders, type MsgHdrs } from '@nats-io/transport-node';
import type { JobSeal, Opened } from './job-seal.js';

/** Everything that a worker needs to send one request. It is already signed, so no signing secret travels. */
export type Job = Omit<OutgoingRequest, 'body' | 'signal'> & { body: string };

/** Inbox that a worker notifies when an outcome is stored. */
export const REPLY_HEADER = 'kernel-reply';
export const ID_HEADER = 'Nats-Msg-Id';

/**
 * Identifies the attempt and its content. Another process that enqueues the same attempt uses the same id, so the
 * broker drops the repeat and the first outcome is found; another body or URL, or a replay, makes another job.
 */
export function jobIdOf(
  { deliveryId, replayCount, attempt }: HandedDelivery,
  { url, body }: Pick<OutgoingRequest, 'url' | 'body'>,
): string {
  const content = createHash('sha256').update(url).update('\0').update(body).digest('hex').slice(0, 16);
  return [deliveryId, replayCount, attempt, content].join('-');
}

export function jobSubject(prefix: string, tenantId: string): string {
  return `${prefix}.jobs.${tenantId}`;
}

export function outcomeSubject(prefix: string, jobId: string): string {
  return `${prefix}.outcomes.${jobId}`;
}

export function jobHeaders(replyTo: string): MsgHdrs {
  const headers = natsHeaders();
  headers.set(REPLY_HEADER, replyTo);
  return headers;
}

export function sealJob(seal: JobSeal, jobId: string, request: OutgoingRequest): Uint8Array {
  const { tenantId, url, urlSetByOperator, headers, body, timeoutMs } = request;
  const job: Job = { tenantId, url, urlSetByOperator, headers, body: body.toString(), timeoutMs };
  return seal.seal(job, `job ${jobId}`);
}

export function openJob(seal: JobSeal, jobId: string, data: Uint8Array): Opened<Job> | undefined {
  return seal.open<Job>(data, `job ${jobId}`);
}

export function sealOutcome(seal: JobSeal, jobId: string, outcome: OutgoingResult): Uint8Array {
  return seal.seal(outcome, `outcome ${jobId}`);
}

export function openOutcome(seal: JobSeal, jobId: string, data: Uint8Array): OutgoingResult | undefined {
  return seal.open<OutgoingResult>(data, `outcome ${jobId}`)?.value;
}
