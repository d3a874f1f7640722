import type { EntityManager } from '@mikro-orm/postgresql';
import { findCircuits, type FoundCircuit } from '../../endpoints/circuits.sql.js';
import type { WebhookEndpointRow } from '../../endpoints/webhook-endpoint.entity.js';
import { type ShownEndpoint, toEndpointDetails } from './endpoint-details.js';

/** Endpoints as shown to callers, each with its circuit. */
export async function withCircuits(em: EntityManager, rows: readonly WebhookEndpointRow[]): Promise<ShownEndpoint[]> {
  const found = await findCircuits(
    em.getKysely(),
    rows.map(({ endpointId }) => endpointId),
  );
  const circuits = new Map(found.map((circuit) => [circuit.endpointId, circuit]));
  return rows.map((row) => ({ ...toEndpointDetails(row), circuit: toResponse(circuits.get(row.endpointId)) }));
}

function toResponse(circuit: FoundCircuit | undefined): ShownEndpoint['circuit'] {
  if (!circuit) {
    return { state: 'closed' as const, until: null };
  }
  const state = circuit.isProbeDue ? ('half-open' as const) : ('open' as const);
  return { state, until: new Date(circuit.probeAt).toISOString() };
}
