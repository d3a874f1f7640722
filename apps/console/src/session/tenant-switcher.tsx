import type { Page, Tenant } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { changeQuery } from '../navigation/location.ts';
import { isOperator, tenantId } from './session.ts';

/** For operators: one tenant, or all. */
export function TenantSwitcher() {
  const { data } = useResponse<Page<Tenant>>(isOperator.value ? '/tenants' : null, { limit: 200 });
  const chosen = tenantId.value;
  if (!isOperator.value) {
    return (
      <div class="tenant-switcher">
        <span class="field-label">Tenant</span>
        <code>{chosen}</code>
      </div>
    );
  }
  const tenants = data?.items ?? [];
  const isListed = chosen === null || tenants.some((tenant) => tenant.tenantId === chosen);
  return (
    <label class="tenant-switcher">
      <span class="field-label">Tenant</span>
      <select
        class="input"
        value={chosen ?? ''}
        onChange={(event) => changeQuery({ tenantId: event.currentTarget.value, cursor: null })}
      >
        <option value="">All tenants</option>
        {!isListed && <option value={chosen}>{chosen}</option>}
        {tenants.map((tenant) => (
          <option key={tenant.tenantId} value={tenant.tenantId}>
            {tenant.tenantId} ({tenant.endpoints === 1 ? '1 endpoint' : `${tenant.endpoints} endpoints`})
          </option>
        ))}
      </select>
      {data?.nextCursor && <small class="muted">The first 200 are listed; others by ?tenantId= in the address.</small>}
    </label>
  );
}
