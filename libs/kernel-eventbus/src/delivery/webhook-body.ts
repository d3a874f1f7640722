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
  /** What of the event is not in it, and why. Holds member names, so do not log it. */
  removed: (RemovedPath | { path: typeof ACTOR_ID_PATH; reason: 'not-kept' })[];
  /** What is in it in another form. Holds member names too. */
  changed: ChangedPath[];
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

  build(parts: BodyParts & { isExternal: boolean }): OutgoingBody | Promise<OutgoingBody> {
    return parts.isExternal ? this.redacted(parts) : whole(parts);
  }

  /** As it was made under what the ledger noted; undefined when that version of the policy is gone. */
  async buildAgain(parts: BodyParts, applied: Redaction): Promise<string | undefined> {
    // An internal endpoint's alone has no such number.
    if (applied.removedPaths === null) {
      return splice(parts, parts.payloadJson);
    }
    const redacted = await this.redaction.redactJsonAgain(applied, requestOf(parts));
    return redacted && withPayload(parts, redacted);
  }

  /** For several endpoints, redacted once: what is given back makes the body as of a time of dispatch. */
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

/** The payload as PostgreSQL wrote it, unless that may have blown up a number: written anew, it is as small as it was published. */
function splice(head: BodyHead, payloadJson: string): string {
  return buildBody(head, LONG_NUMBER.test(payloadJson) ? writeJson(JSON.parse(payloadJson)) : payloadJson);
}
