import { EventEnvelope } from './event-envelope.js';

/** The nil UUID: tenant of the endpoints that get the events of all tenants. Only handlers do. */
export const ALL_TENANTS = '00000000-0000-0000-0000-000000000000';

/** Id of one tenant. The nil UUID is not a tenant: it stands for all tenants, whose events handlers get. */
export const TenantId = EventEnvelope.shape.tenantId.refine(
  (tenantId) => tenantId !== ALL_TENANTS,
  'the nil UUID is no tenant: give the id of one',
);
