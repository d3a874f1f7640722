/** Stands for all tenants, and for all endpoints of a tenant, where activity is summed up. */
export const ALL = '00000000-0000-0000-0000-000000000000';

/** Of what to tell; left out: all. */
export interface ActivityScope {
  tenantId?: string;
  endpointId?: string;
}
