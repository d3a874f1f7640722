/** Tenant id of the sums over all tenants, and endpoint id of the sums over all endpoints of a tenant. */
export const ALL = '00000000-0000-0000-0000-000000000000';

/** Undefined fields mean all. */
export interface ActivityScope {
  tenantId?: string;
  endpointId?: string;
}
