import type { EntityManager } from '@mikro-orm/postgresql';
import { findCircuits, type FoundCircuit, type WebhookEndpointRow } from '@kernel/eventbus/engine';
import { toEndpointResponse } from './endpoint.dto.js';

/** Endpoints as shown in responses, each with its circuit. */
export async function withCircuits(em: EntityManager, rows: readonly WebhookEndpointRow[]) {
  const found = await findCircuits(
    em.getKysely(),
    rows.map(({ endpointId }) => endpointId),
  );
  const circuits = new Map(found.map((circuit) => [circuit.endpointId, circuit]));
  return rows.map((row) => ({ ...toEndpointResponse(row), circuit: toResponse(circuits.get(row.endpointId)) }));
}

function toResponse(circuit: FoundCircuit | undefined) {
  if (!circuit) {
    return { state: 'closed' as const, until: null };
  }
  const state = circuit.isProbeDue ? ('half-open' as const) : ('open' as const);
  return { state, until: new Date(circuit.probeAt).toISOString() };
}
