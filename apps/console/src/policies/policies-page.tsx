import type { Event, Page, Policy } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Pager } from '../elements/pager.tsx';
import { Panel } from '../elements/panel.tsx';
import { formatPlural } from '../elements/format-number.ts';
import { ShortId } from '../elements/short-id.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { hrefOf, query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import './policies.css';

const COLUMNS: Column<Policy>[] = [
  {
    label: 'Event type',
    cell: ({ eventType, tenantId: owner }) => (
      <a class="row-link" href={hrefOf(`/policies/${encodeURIComponent(eventType)}`, { owner: owner ?? 'default' })}>
        {eventType}
      </a>
    ),
  },
  {
    label: 'Holds for',
    cell: ({ tenantId: owner }) => (owner ? <ShortId id={owner} /> : <Badge tone="quiet">Default</Badge>),
  },
  { label: 'Rules', cell: ({ rules }) => formatPlural(rules.length, 'rule') },
  { label: 'Version', isNumber: true, cell: ({ version }) => version },
  { label: 'Since', cell: ({ createdAt }) => <Ago at={createdAt} /> },
];

export function PoliciesPage() {
  const policies = useResponse<Page<Policy>>('/policies', {
    cursor: query.value.get('cursor'),
    tenantId: tenantId.value,
  });
  return (
    <>
      <PageHeader
        title="Policies"
        lead="What of a payload leaves the house. A path without a rule stays inside; without a policy nothing goes out."
      />
      <Loaded response={policies}>
        {({ items, nextCursor }) => (
          <>
            {items.length > 0 ? (
              <DataTable label="Policies" columns={COLUMNS} rows={items} keyOf={({ policyId }) => policyId} />
            ) : (
              <EmptyState icon="shield" title="No policies yet">
                External endpoints get no field of any payload until a policy lets one out.
              </EmptyState>
            )}
            <Pager nextCursor={nextCursor} />
            <TypesWithout policies={items} />
          </>
        )}
      </Loaded>
    </>
  );
}

/** Recently published types without a policy on this page. */
function TypesWithout({ policies }: { policies: readonly Policy[] }) {
  const { data } = useResponse<Page<Event>>('/events', { tenantId: tenantId.value, limit: 200 });
  const covered = new Set(policies.map(({ eventType }) => eventType));
  const types = [...new Set(data?.items.map(({ type }) => type))].filter((type) => !covered.has(type)).sort();
  if (types.length === 0) return null;
  return (
    <Panel title="Published lately, without a policy here">
      <ul class="actions">
        {types.map((type) => (
          <li key={type}>
            <a href={hrefOf(`/policies/${encodeURIComponent(type)}`)}>{type}</a>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
