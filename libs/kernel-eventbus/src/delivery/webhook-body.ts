import { ACTOR_ID_PATH, RedactionService, type RemovedPath } from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { buildBody, type BodyParts } from './build-body.js';

export interface OutgoingBody {
  body: string;
  redaction: Redaction;
  /** What of the event is not in it, and why. Holds member names, so do not log it. */
  removed: (RemovedPath | { path: typeof ACTOR_ID_PATH; reason: 'not-kept' })[];
}

/** What the ledger keeps of the policy that was applied; all null for an internal endpoint. */
export interface Redaction {
  policyId: string | null;
  policyVersion: number | null;
  removedPaths: number | null;
}

/** Envelope and policy in, exact bytes out: redacted for an external endpoint, whole for an internal one. */
@Injectable()
export class WebhookBody {
  constructor(private readonly redaction: RedactionService) {}

  async build({ isExternal, ...parts }: BodyParts & { isExternal: boolean }): Promise<OutgoingBody> {
    return isExternal ? this.redacted(parts) : whole(parts);
  }

  private async redacted(parts: BodyParts): Promise<OutgoingBody> {
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
    const { policyId, policyVersion, removed, keepsActorId } = redacted;
    const actor = parts.actorId && !keepsActorId ? [{ path: ACTOR_ID_PATH, reason: 'not-kept' } as const] : [];
    return {
      body,
      redaction: { policyId, policyVersion, removedPaths: removed.length },
      removed: [...removed, ...actor],
    };
  }
}

/** PostgreSQL writes 1e308 as 309 digits. */
const LONG_NUMBER = /\d{22}/;

/** Spliced in as PostgreSQL wrote it, unless that may have blown up a number: written anew, it is as small as it was published. */
function whole(parts: BodyParts): OutgoingBody {
  const payloadJson = LONG_NUMBER.test(parts.payloadJson)
    ? JSON.stringify(JSON.parse(parts.payloadJson))
    : parts.payloadJson;
  return {
    body: buildBody({ ...parts, payloadJson }),
    redaction: { policyId: null, policyVersion: null, removedPaths: null },
    removed: [],
  };
}
