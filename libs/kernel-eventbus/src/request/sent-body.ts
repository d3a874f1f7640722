import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sha256Hex } from '../envelope/canonical-json.js';
import { LoopTurns } from '@kernel/runtime';
import { selectBodyParts } from './select-body-parts.sql.js';
import { WebhookBody, type Redaction } from './webhook-body.js';

/** Facts of an attempt in the ledger. */
export interface NotedAttempt {
  deliveryId: string;
  /** Null: no body was made. */
  bodySha256: string | null;
  redaction: Redaction;
}

export interface RenderedBody {
  body: string | null;
  renderedSha256: string | null;
  matches: boolean;
  /** Reason why there is no body, or why it may differ from the sent one; null: none. */
  reason: string | null;
}

/**
 * Renders the body of an attempt again. Bodies are not stored, but their hash is, so that the result can be compared
 * with the sent one. Reads retained envelopes too.
 */
@Injectable()
export class SentBody {
  constructor(
    private readonly em: EntityManager,
    private readonly webhookBody: WebhookBody,
  ) {}

  async render({ deliveryId, bodySha256, redaction }: NotedAttempt): Promise<RenderedBody> {
    if (bodySha256 === null) {
      return without('this attempt made no body: it ended before, or went to a handler inside the application');
    }
    const parts = await selectBodyParts(this.em.fork().getKysely(), deliveryId);
    if (!parts) {
      return without('the event is past its retention');
    }
    const turns = new LoopTurns();
    const body = await this.webhookBody.buildAgain(parts, redaction);
    // A body of hashes is many times its payload: rendering, hashing and responding each get a turn of the event loop.
    await turns.nextIfDue();
    if (body === undefined) {
      return without(`version ${redaction.policyVersion} of the privacy policy is gone`);
    }
    const renderedSha256 = sha256Hex(body);
    await turns.nextIfDue();
    const matches = renderedSha256 === bodySha256;
    return { body, renderedSha256, matches, reason: matches ? null : DIFFERS };
  }
}

const DIFFERS =
  'this is not what was sent: middleware changed the body, or the declaration of the type, a key or this software has changed since';

function without(reason: string): RenderedBody {
  return { body: null, renderedSha256: null, matches: false, reason };
}
