import {
  envelopeChanges,
  listLeafPaths,
  RedactionService,
  writeJson,
  type PolicyRule,
  type RedactionResult,
} from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { ALL, jsonDepth, EventBusConfig, TenantScope } from '@kernel/eventbus/engine';
import { PayloadTooLargeError } from '@kernel/eventbus';
import { problems } from '@kernel/http';
import { LoopTurns } from '@kernel/runtime';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { selectEvents } from '../events/events.sql.js';
import { firstPaths } from '../listed-paths.js';

export interface PolicyTrial {
  eventType: string;
  tenantId?: string;
  rules: readonly PolicyRule[];
  payload?: Record<string, unknown>;
  eventId?: string;
}

interface Tried {
  tenantId: string;
  payload: Record<string, unknown>;
  actorId: string | null;
  streamKey?: string;
}

/** Shows the output of rules before they are stored. Writes nothing. */
@Injectable()
export class PolicyPreview {
  constructor(
    private readonly scope: TenantScope,
    private readonly redaction: RedactionService,
    private readonly config: EventBusConfig,
  ) {}

  async preview(principal: AdminPrincipal, { eventType, rules, ...trial }: PolicyTrial) {
    const turns = new LoopTurns();
    const { tenantId, payload, actorId, streamKey } = await this.subjectOf(principal, { ...trial, eventType });
    await turns.nextIfDue();
    const policy = { policyId: null, version: null, rules };
    const tried = await this.redaction.redactWith(policy, { tenantId, eventType, payload, streamKey });
    await turns.nextIfDue();
    const ofEnvelope = envelopeChanges({ actorId, streamKey }, tried);
    const removed = [...ofEnvelope.removed, ...tried.removed].map(({ path, reason }) => ({ path, why: reason }));
    const changed = [...ofEnvelope.changed, ...tried.changed];
    const kept = keptPaths(tried);
    const shown = {
      removed: firstPaths(removed, ({ path }) => path),
      changed: firstPaths(changed, ({ path }) => path),
      kept: firstPaths(kept, (path) => path),
    };
    const isCut =
      shown.removed.length < removed.length || shown.changed.length < changed.length || shown.kept.length < kept.size;
    const body = writeJson(tried.payload);
    // A body of hashes is many times larger than its payload, and is serialized again in the response.
    await turns.nextIfDue();
    return { body, ...shown, ...(isCut && { isCut: true as const }) };
  }

  private async subjectOf(principal: AdminPrincipal, trial: Omit<PolicyTrial, 'rules'>): Promise<Tried> {
    const tenantId = principal.scopeTo(trial.tenantId);
    if (trial.eventId === undefined) {
      const payload = trial.payload ?? {};
      this.refuseUnpublishable(trial.eventType, payload);
      // Hashes depend on the tenant. Without one they are computed for the nil tenant and match no tenant's hashes.
      return { tenantId: tenantId ?? ALL, payload, actorId: null };
    }
    const wanted = { eventId: trial.eventId, tenantId, type: trial.eventType, limit: 1 };
    const [event] = await this.scope.read(principal, (em) => selectEvents(em.getKysely(), wanted));
    if (!event) {
      throw problems.notFound(`event of the type ${trial.eventType}`);
    }
    const payload = JSON.parse(event.payloadJson) as Record<string, unknown>;
    return { tenantId: event.tenantId, payload, actorId: event.actorId, streamKey: event.streamKey };
  }

  /** Applies the limits of `publish`. */
  private refuseUnpublishable(eventType: string, payload: Record<string, unknown>): void {
    const { maxPayloadBytes, maxPayloadDepth } = this.config;
    const json = writeJson(payload);
    const bytes = Buffer.byteLength(json);
    if (bytes > maxPayloadBytes) {
      throw new PayloadTooLargeError(eventType, bytes, maxPayloadBytes);
    }
    if (jsonDepth(json) > maxPayloadDepth) {
      throw problems.invalid('payload', `is nested deeper than ${maxPayloadDepth}`);
    }
  }
}

/** Leaves at or below a changed path are not kept: they are sent in another form. */
function keptPaths({ payload, changed }: Pick<RedactionResult, 'payload' | 'changed'>): Set<string> {
  const isChanged = new Set(changed.map(({ path }) => path));
  const leaves = new Set<string>();
  if (Object.keys(payload).length > 0) {
    listLeafPaths(
      payload,
      '$',
      (path) => leaves.add(path),
      (path) => isChanged.has(path),
    );
  }
  return leaves;
}
