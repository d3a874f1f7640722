import { RedactionService } from '@kernel/privacy';
import { SigningService } from '@kernel/secrets';
import { Injectable } from '@nestjs/common';
import { sha256Hex } from '../envelope/canonical-json.js';
import { Clock } from '../runtime/clock.js';
import { firstLine } from '../runtime/fault.js';
import { buildBody, type BodyParts } from './build-body.js';
import { buildHeaders } from './build-headers.js';

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

/** What the ledger keeps of the policy that was applied; all null for an internal endpoint. */
export interface Redaction {
  policyId: string | null;
  policyVersion: number | null;
  removedPaths: number | null;
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
    private readonly redaction: RedactionService,
    private readonly signing: SigningService,
    private readonly clock: Clock,
  ) {}

  async prepare(parts: WebhookParts): Promise<PreparedWebhook | PreparationFault> {
    let outgoing: { body: string; redaction: Redaction };
    try {
      outgoing = parts.isExternal ? await this.redactedBody(parts) : wholeBody(parts);
    } catch (error) {
      return { kind: 'fault', errorClass: 'policy_unavailable', error: firstLine(error) };
    }
    try {
      const signature = await this.signing.sign({
        tenantId: parts.tenantId,
        alias: parts.signingSecretAlias,
        messageId: parts.eventId,
        timestamp: this.clock.now(),
        body: outgoing.body,
      });
      const headers = { ...buildHeaders(parts), ...signature };
      return { kind: 'prepared', headers, bodySha256: sha256Hex(outgoing.body), ...outgoing };
    } catch (error) {
      return { kind: 'fault', errorClass: 'secret_unavailable', error: firstLine(error) };
    }
  }

  private async redactedBody(parts: WebhookParts): Promise<{ body: string; redaction: Redaction }> {
    const redacted = await this.redaction.redactFor({
      tenantId: parts.tenantId,
      eventType: parts.type,
      payload: JSON.parse(parts.payloadJson) as Record<string, unknown>,
    });
    const body = buildBody({
      ...parts,
      actorId: redacted.keepsActorId ? parts.actorId : null,
      payloadJson: JSON.stringify(redacted.payload),
    });
    const { policyId, policyVersion, removed } = redacted;
    return { body, redaction: { policyId, policyVersion, removedPaths: removed.length } };
  }
}

/** PostgreSQL writes 1e308 as 309 digits. */
const LONG_NUMBER = /\d{22}/;

/** Spliced in as PostgreSQL wrote it, unless that may have blown up a number: written anew, it is as small as it was published. */
function wholeBody(parts: WebhookParts): { body: string; redaction: Redaction } {
  const payloadJson = LONG_NUMBER.test(parts.payloadJson)
    ? JSON.stringify(JSON.parse(parts.payloadJson))
    : parts.payloadJson;
  return {
    body: buildBody({ ...parts, payloadJson }),
    redaction: { policyId: null, policyVersion: null, removedPaths: null },
  };
}
