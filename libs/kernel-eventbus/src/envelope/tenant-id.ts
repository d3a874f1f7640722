import { ALL_TENANTS } from '../handlers/handler-names.js';
import { EventEnvelope } from './event-envelope.js';

/** Whom something can belong to. The nil UUID is nobody's: it stands for all tenants, whose events handlers get. */
export const TenantId = EventEnvelope.shape.tenantId.refine(
  (tenantId) => tenantId !== ALL_TENANTS,
  'the nil UUID is no tenant: give the id of one',
);
