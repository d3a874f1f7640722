import { FilterBar, type Filter } from '../elements/filter-bar.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { query } from '../navigation/location.ts';
import { isOperator, tenantId } from '../session/session.ts';
import { LEDGER_KINDS } from './ledger-kinds.ts';
import { LedgerTimeline } from './ledger-timeline.tsx';
import { VerifyLedger } from './verify-ledger.tsx';

const FILTERS: Filter[] = [
  { name: 'traceId', label: 'Trace id' },
  { name: 'eventId', label: 'Event id' },
  { name: 'deliveryId', label: 'Delivery id' },
  { name: 'kind', label: 'Kind', options: LEDGER_KINDS.map((kind) => ({ value: kind, label: kind })) },
  { name: 'since', label: 'From', kind: 'time' },
  { name: 'until', label: 'Until', kind: 'time' },
];

export function LedgerPage() {
  const names = [...FILTERS.map(({ name }) => name), 'endpointId', 'cursor'];
  const wanted = Object.fromEntries(names.map((name) => [name, query.value.get(name)]));
  return (
    <>
      <PageHeader
        title="Ledger"
        lead="Every fact, append-only and sealed: who did what, when, and under which trace."
      />
      {isOperator.value && <VerifyLedger />}
      <FilterBar filters={FILTERS} />
      <Panel title="Timeline">
        <LedgerTimeline query={{ tenantId: tenantId.value, ...wanted }} isPaged />
      </Panel>
    </>
  );
}
