import { useState } from 'preact/hooks';
import type { DeadLetterGroup } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { EmptyState } from '../elements/empty-state.tsx';
import { FilterBar, type Filter } from '../elements/filter-bar.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { query } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { GroupTable } from './group-table.tsx';
import { keyOf } from './group-key.ts';
import { OperationList } from './operation-list.tsx';
import { ReplayBar } from './replay-bar.tsx';
import './dead-letters.css';

/** Narrow the replay within the chosen groups. */
const FILTERS: Filter[] = [
  { name: 'type', label: 'Only type' },
  { name: 'since', label: 'Created from', kind: 'time' },
  { name: 'until', label: 'Created until', kind: 'time' },
];

export function DeadLettersPage() {
  const groups = useResponse<{ items: DeadLetterGroup[] }>('/deliveries/groups', { tenantId: tenantId.value }, 5_000);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const narrowed = Object.fromEntries(
    FILTERS.flatMap(({ name }) => (query.value.has(name) ? [[name, query.value.get(name)!] as const] : [])),
  );
  return (
    <>
      <PageHeader
        title="Dead letters"
        lead="What was given up after its last attempt, by endpoint and kind of error. Mend the cause, then replay."
      />
      <Loaded response={groups}>
        {({ items }) =>
          items.length > 0 ? (
            <>
              <FilterBar filters={FILTERS} verb="Narrow down" />
              <GroupTable groups={items} chosen={chosen} onChoose={setChosen} />
              <ReplayBar
                groups={items.filter((group) => chosen.has(keyOf(group)))}
                narrowed={narrowed}
                onStarted={() => {
                  setChosen(new Set());
                  groups.reload();
                }}
              />
            </>
          ) : (
            <EmptyState icon="check" title="No dead letters">
              Everything was delivered, or is still being tried.
            </EmptyState>
          )
        }
      </Loaded>
      <OperationList onProgress={groups.reload} />
    </>
  );
}
