import { RedactionService } from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { firstLine } from '../runtime/fault.js';
import { buildBody, type BodyParts } from './build-body.js';

export interface WebhookParts extends BodyParts {
  deliveryId: string;
  attempt: number;
  streamSequence: string | null;
  previousSequence: string | null;
  isExternal: boolean;
}

export interface PreparedBody {
  kind: 'prepared';
  body: string;
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
  kind: 'deferred';
  errorClass: 'policy_unavailable';
  error: string;
}

/** Envelope and policy in, exact bytes out. Without a policy's answer nothing goes out. */
@Injectable()
export class BodyPreparer {
  constructor(private readonly redaction: RedactionService) {}

  async prepare(parts: WebhookParts): Promise<PreparedBody | PreparationFault> {
    try {
      return { kind: 'prepared', ...(parts.isExternal ? await this.redactedBody(parts) : wholeBody(parts)) };
    } catch (error) {
      return { kind: 'deferred', errorClass: 'policy_unavailable', error: firstLine(error) };
    }
  }

  private async redactedBody(parts: WebhookParts): Promise<Omit<PreparedBody, 'kind'>> {
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
function wholeBody(parts: WebhookParts): Omit<PreparedBody, 'kind'> {
  const payloadJson = LONG_NUMBER.test(parts.payloadJson)
    ? JSON.stringify(JSON.parse(parts.payloadJson))
    : parts.payloadJson;
  return {
    body: buildBody({ ...parts, payloadJson }),
    redaction: { policyId: null, policyVersion: null, removedPaths: null },
  };
}
