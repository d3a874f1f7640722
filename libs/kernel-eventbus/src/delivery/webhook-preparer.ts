import { SigningService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import { sha256Hex } from '../envelope/canonical-json.js';
import { Clock } from '../runtime/clock.js';
import { firstLine } from '../runtime/fault.js';
import type { BodyParts } from './build-body.js';
import { buildHeaders } from './build-headers.js';
import { WebhookBody, type OutgoingBody, type Redaction } from './webhook-body.js';

export interface WebhookParts extends BodyParts {
  deliveryId: string;
  attempt: number;
  streamSequence: string | null;
  previousSequence: string | null;
  isExternal: boolean;
  signingSecretAlias: string;
}

export interface PreparedWebhook {
  kind: 'prepared';
  headers: Record<string, string>;
  body: string;
  bodySha256: string;
  redaction: Redaction;
}

/** A fault of our own: nothing was sent, no attempt is used up. */
export interface PreparationFault {
  kind: 'fault';
  errorClass: 'policy_unavailable' | 'secret_unavailable';
  error: string;
}

/** Redacts, then signs: envelope, policy and secret in, exact bytes and headers out. Without either, nothing goes out. */
@Injectable()
export class WebhookPreparer {
  constructor(
    private readonly body: WebhookBody,
    private readonly signing: SigningService,
    private readonly clock: Clock,
  ) {}

  async prepare(parts: WebhookParts): Promise<PreparedWebhook | PreparationFault> {
    let outgoing: OutgoingBody;
    try {
      outgoing = await this.body.build(parts);
    } catch (error) {
      return { kind: 'fault', errorClass: 'policy_unavailable', error: firstLine(error) };
    }
    const { body, redaction } = outgoing;
    try {
      const signature = await this.signing.sign({
        tenantId: parts.tenantId,
        alias: parts.signingSecretAlias,
        messageId: parts.eventId,
        timestamp: this.clock.now(),
        body,
      });
      const headers = { ...buildHeaders(parts), ...signature };
      return { kind: 'prepared', headers, body, bodySha256: sha256Hex(body), redaction };
    } catch (error) {
      return { kind: 'fault', errorClass: 'secret_unavailable', error: firstLine(error) };
    }
  }
}
