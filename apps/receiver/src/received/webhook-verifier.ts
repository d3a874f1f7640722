import type { IncomingHttpHeaders } from 'node:http';
import { ProblemException } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { z } from 'zod';
import { ReceiverSettings } from '../receiver-settings.js';

const Envelope = z.looseObject({
  eventId: z.guid(),
  type: z.string(),
  tenantId: z.guid(),
  traceId: z.string(),
});
export type Envelope = z.infer<typeof Envelope>;

/** The three lines every receiver needs: the public library, the shared secret, and the raw bytes. */
@Injectable()
export class WebhookVerifier {
  readonly #webhook: Webhook | undefined;

  constructor({ secret }: ReceiverSettings) {
    this.#webhook = secret ? new Webhook(secret) : undefined;
  }

  /** @throws {ProblemException} 401 when the signature does not fit, 400 when the signed body is no event */
  verify(raw: Buffer, headers: IncomingHttpHeaders): Envelope {
    if (!this.#webhook) {
      throw unauthorized('this receiver has no secret, so it can verify nothing');
    }
    try {
      this.#webhook.verify(raw, headers as Record<string, string>, { jsonParse: false });
    } catch (error) {
      throw unauthorized(error instanceof WebhookVerificationError ? error.message : 'the signature does not fit');
    }
    return parseEnvelope(raw);
  }
}

function parseEnvelope(raw: Buffer): Envelope {
  try {
    return Envelope.parse(JSON.parse(raw.toString('utf8')));
  } catch {
    throw new ProblemException({ type: 'not-an-event', status: 400, detail: 'the signed body is not an event' });
  }
}

function unauthorized(detail: string): ProblemException {
  return new ProblemException({ type: 'signature-invalid', status: 401, detail });
}
