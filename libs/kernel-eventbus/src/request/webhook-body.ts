import {
  envelopeChanges,
  RedactionService,
  writeJson,
  type ChangedPath,
  type EnvelopeChanges,
  type JsonRedactionResult,
  type RemovedPath,
} from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { buildBody, type BodyHead, type BodyParts } from './build-body.js';

export interface OutgoingBody {
  body: string;
  /** As it is in the body, and may be in headers and keys; null: it is left out. */
  streamKey: string | null;
  redaction: Redaction;
  /** Parts of the event that were left out, with the reason. Contains member names, so do not log it. */
  removed: (RemovedPath | EnvelopeChanges['removed'][number])[];
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
  const { policyId, policyVersion, removed, changed, streamKey = null } = redacted;
  const ofEnvelope = envelopeChanges(parts, redacted);
  return {
    body: withPayload(parts, redacted),
    streamKey,
    redaction: { policyId, policyVersion, removedPaths: removed.length },
    removed: [...ofEnvelope.removed, ...removed],
    changed: [...ofEnvelope.changed, ...changed],
  };
}

function requestOf({ tenantId, type, streamKey, payloadJson }: Omit<BodyParts, 'dispatchedAt'>) {
  return { tenantId, eventType: type, streamKey, payloadJson };
}

function withPayload(parts: BodyParts, { payloadJson, keepsActorId, streamKey = null }: JsonRedactionResult): string {
  return splice({ ...parts, streamKey, actorId: keepsActorId ? parts.actorId : null }, payloadJson);
}

function whole(parts: BodyParts): OutgoingBody {
  return {
    body: splice(parts, parts.payloadJson),
    streamKey: parts.streamKey,
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
