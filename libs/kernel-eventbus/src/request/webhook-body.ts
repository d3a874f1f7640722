import {
  ACTOR_ID_PATH,
  RedactionService,
  writeJson,
  type ChangedPath,
  type JsonRedactionResult,
  type RemovedPath,
} from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { buildBody, type BodyHead, type BodyParts } from './build-body.js';

export interface OutgoingBody {
  body: string;
  redaction: Redaction;
  /** Parts of the event that were left out, with the reason. Contains member names, so do not log it. */
  removed: (RemovedPath | { path: typeof ACTOR_ID_PATH; reason: 'not-kept' })[];
  /** Parts in another form. Contains member names too. */
  changed: ChangedPath[];
}

/** The applied policy, for the ledger; all null for an internal endpoint. */
export interface Redaction {
  policyId: string | null;
  policyVersion: number | null;
  removedPaths: number | null;
}

/** Makes the exact bytes from envelope and policy: redacted for an external endpoint, complete for an internal one. */
@Injectable()
export class WebhookBody {
  constructor(private readonly redaction: RedactionService) {}

  build(parts: BodyParts, isExternal: boolean): OutgoingBody | Promise<OutgoingBody> {
    return isExternal ? this.redacted(parts) : whole(parts);
  }

  /** The body under the policy of the ledger's entry; undefined: that version of the policy is gone. */
  async buildAgain(parts: BodyParts, applied: Redaction): Promise<string | undefined> {
    // Null only for internal endpoints.
    if (applied.removedPaths === null) {
      return splice(parts, parts.payloadJson);
    }
    const redacted = await this.redaction.redactJsonAgain(applied, requestOf(parts));
    return redacted && withPayload(parts, redacted);
  }

  /** Redacts once for several endpoints. Returns a function that makes the body for a dispatch time. */
  async prepare({
    isExternal,
    ...parts
  }: Omit<BodyParts, 'dispatchedAt'> & { isExternal: boolean }): Promise<(dispatchedAt: string) => OutgoingBody> {
    if (!isExternal) {
      return (dispatchedAt) => whole({ ...parts, dispatchedAt });
    }
    const redacted = await this.redaction.redactJson(requestOf(parts));
    return (dispatchedAt) => fromRedacted({ ...parts, dispatchedAt }, redacted);
  }

  private async redacted(parts: BodyParts): Promise<OutgoingBody> {
    return fromRedacted(parts, await this.redaction.redactJson(requestOf(parts)));
  }
}

function fromRedacted(parts: BodyParts, redacted: JsonRedactionResult): OutgoingBody {
  const { policyId, policyVersion, removed, changed, keepsActorId } = redacted;
  const actor = parts.actorId && !keepsActorId ? [{ path: ACTOR_ID_PATH, reason: 'not-kept' } as const] : [];
  return {
    body: withPayload(parts, redacted),
    redaction: { policyId, policyVersion, removedPaths: removed.length },
    removed: [...actor, ...removed],
    changed,
  };
}

function requestOf({ tenantId, type, payloadJson }: Omit<BodyParts, 'dispatchedAt'>) {
  return { tenantId, eventType: type, payloadJson };
}

function withPayload(parts: BodyParts, { payloadJson, keepsActorId }: JsonRedactionResult): string {
  return splice(keepsActorId ? parts : { ...parts, actorId: null }, payloadJson);
}

function whole(parts: BodyParts): OutgoingBody {
  return {
    body: splice(parts, parts.payloadJson),
    redaction: { policyId: null, policyVersion: null, removedPaths: null },
    removed: [],
    changed: [],
  };
}

/** PostgreSQL writes 1e308 as 309 digits. */
const LONG_NUMBER = /\d{22}/;

/**
 * Keeps the text that PostgreSQL wrote, unless it may contain an expanded number: then the payload is serialised again.
 */
function splice(head: BodyHead, payloadJson: string): string {
  return buildBody(head, LONG_NUMBER.test(payloadJson) ? writeJson(JSON.parse(payloadJson)) : payloadJson);
}
