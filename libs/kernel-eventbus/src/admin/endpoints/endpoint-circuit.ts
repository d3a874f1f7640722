import type { EntityManager } from '@mikro-orm/postgresql';
import { findCircuits, type FoundCircuit } from '../../circuit/circuits.sql.js';
import type { WebhookEndpointRow } from '../../routing/webhook-endpoint.entity.js';
import { toEndpointAnswer } from './endpoint.dto.js';

/** Endpoints as shown in responses, each with its circuit. */
export async function withCircuits(em: EntityManager, rows: readonly WebhookEndpointRow[]) {
  const found = await findCircuits(
    em.getKysely(),
    rows.map(({ endpointId }) => endpointId),
  );
  const circuits = new Map(found.map((circuit) => [circuit.endpointId, circuit]));
  return rows.map((row) => ({ ...toEndpointAnswer(row), circuit: toAnswer(circuits.get(row.endpointId)) }));
}

function toAnswer(circuit: FoundCircuit | undefined) {
  if (!circuit) {
    return { state: 'closed' as const, until: null };
  }
  const state = circuit.isProbeDue ? ('half-open' as const) : ('open' as const);
  return { state, until: new Date(circuit.probeAt).toISOString() };
}
