import { ACTOR_ID_PATH, listLeafPaths, RedactionService, writeJson, type PolicyRule } from '@kernel/privacy';
import { Injectable } from '@nestjs/common';
import { ALL } from '../../activity/activity-scope.js';
import { jsonDepth } from '../../envelope/json-depth.js';
import { EventBusConfig } from '../../eventbus.options.js';
import { problems } from '../../http/problem.exception.js';
import type { AdminPrincipal } from '../access/admin-principal.js';
import { TenantScope } from '../access/tenant-scope.js';
import { selectEvents } from '../events/select-events.sql.js';

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
}

/** What rules would let out, before they are put. Writes nothing. */
@Injectable()
export class PolicyPreview {
  constructor(
    private readonly scope: TenantScope,
    private readonly redaction: RedactionService,
    private readonly config: EventBusConfig,
  ) {}

  async preview(principal: AdminPrincipal, { eventType, rules, ...trial }: PolicyTrial) {
    const { tenantId, payload, actorId } = await this.subjectOf(principal, { ...trial, eventType });
    const policy = { policyId: null, version: null, rules };
    const tried = await this.redaction.redactWith(policy, { tenantId, eventType, payload });
    const actor = actorId && !tried.keepsActorId ? [{ path: ACTOR_ID_PATH, why: 'not-kept' as const }] : [];
    return {
      body: writeJson(tried.payload),
      removed: [...tried.removed.map(({ path, reason }) => ({ path, why: reason })), ...actor],
      changed: tried.changed,
      kept: keptPaths(
        tried.payload,
        tried.changed.map(({ path }) => path),
      ),
    };
  }

  private async subjectOf(principal: AdminPrincipal, trial: Omit<PolicyTrial, 'rules'>): Promise<Tried> {
    const tenantId = principal.scopeTo(trial.tenantId);
    if (trial.eventId === undefined) {
      const payload = trial.payload ?? {};
      this.refuseTooDeep(payload);
      // Without a tenant no hash that anybody gets can be shown: it is made as for nobody.
      return { tenantId: tenantId ?? ALL, payload, actorId: null };
    }
    const wanted = { eventId: trial.eventId, tenantId, type: trial.eventType, limit: 1 };
    const [event] = await this.scope.read(principal, (em) => selectEvents(em.getKysely(), wanted));
    if (!event) {
      throw problems.notFound(`event of the type ${trial.eventType}`);
    }
    const payload = JSON.parse(event.payloadJson) as Record<string, unknown>;
    return { tenantId: event.tenantId, payload, actorId: event.actorId };
  }

  /** Deeper ones cannot be published either. */
  private refuseTooDeep(payload: Record<string, unknown>): void {
    const { maxPayloadDepth } = this.config;
    if (jsonDepth(JSON.stringify(payload)) > maxPayloadDepth) {
      throw problems.invalid('payload', `is nested deeper than ${maxPayloadDepth}`);
    }
  }
}

/** Leaves at or below a changed path went out in another form. */
function keptPaths(payload: Record<string, unknown>, changed: readonly string[]): string[] {
  const leaves = new Set<string>();
  if (Object.keys(payload).length > 0) {
    listLeafPaths(payload, '$', (path) => leaves.add(path));
  }
  const isChanged = (leaf: string) =>
    changed.some((path) => leaf === path || leaf.startsWith(`${path}.`) || leaf.startsWith(`${path}[`));
  return [...leaves].filter((leaf) => !isChanged(leaf));
}
