import type { ConsoleApp } from './console-app.js';

interface Ids {
  items: { deliveryId: string; eventId: string; endpointId: string }[];
}

/** Every page of the console by name, with ids of existing rows. */
export async function listPages({ ask, erp }: ConsoleApp): Promise<[name: string, path: string][]> {
  const { items: letters } = await ask<Ids>('GET', '/deliveries?status=DLQ&limit=1');
  const { deliveryId, eventId, endpointId } = letters[0] ?? (await ask<Ids>('GET', '/deliveries?limit=1')).items[0]!;
  const tenant = `tenantId=${erp.tenantId}`;
  return [
    ['overview', `?${tenant}`],
    ['events', '/events'],
    ['event', `/events/${eventId}`],
    ['deliveries', '/deliveries'],
    ['delivery', `/deliveries/${deliveryId}`],
    ['endpoints', '/endpoints'],
    ['endpoint', `/endpoints/${endpointId}`],
    ['endpoint-form', `/endpoints/${endpointId}/edit`],
    ['new-endpoint', `/endpoints/new?${tenant}`],
    ['dead-letters', '/dead-letters'],
    ['lanes', '/lanes'],
    ['policies', '/policies'],
    ['policy', `/policies/invoice.created.v1?owner=${erp.tenantId}`],
    ['ledger', '/ledger'],
    ['settings', '/settings'],
    ['nowhere', '/nowhere'],
  ];
}
