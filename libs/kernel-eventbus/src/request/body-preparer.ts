import { Injectable } from '@nestjs/common';
import { firstLine } from '@kernel/runtime';
import type { BodyParts } from './build-body.js';
import { WebhookBody, type OutgoingBody } from './webhook-body.js';

export interface WebhookParts extends BodyParts {
  deliveryId: string;
  attempt: number;
  streamSequence: string | null;
  previousSequence: string | null;
  isExternal: boolean;
}

export interface PreparedBody {
  kind: 'prepared';
  outgoing: OutgoingBody;
}

/** A fault on our side: nothing was sent, no attempt is used up. */
export interface PreparationFault {
  kind: 'deferred';
  errorClass: 'policy_unavailable';
  error: string;
}

/** Makes the exact bytes, or says why there are none: without a policy nothing is sent. */
@Injectable()
export class BodyPreparer {
  constructor(private readonly body: WebhookBody) {}

  async prepare(parts: WebhookParts): Promise<PreparedBody | PreparationFault> {
    try {
      return { kind: 'prepared', outgoing: await this.body.build(parts) };
    } catch (error) {
      return { kind: 'deferred', errorClass: 'policy_unavailable', error: firstLine(error) };
    }
  }
}
