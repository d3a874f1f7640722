import { useEffect } from 'preact/hooks';
import type { Query } from '../connection/admin-api.ts';
import type { LedgerEntry, Page } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Loaded } from '../elements/loaded.tsx';
import { Pager } from '../elements/pager.tsx';
import { LedgerItem } from './ledger-item.tsx';
import './ledger.css';

interface LedgerTimelineProps {
  query: Query;
  /** Reloads when this number changes. */
  changes?: number;
  isPaged?: boolean;
}

/** Ledger entries, newest first. */
export function LedgerTimeline({ query, changes, isPaged = false }: LedgerTimelineProps) {
  const entries = useResponse<Page<LedgerEntry>>('/audit', query);
  useEffect(() => {
    if (changes !== undefined) entries.reload();
  }, [changes]);
  return (
    <Loaded response={entries} lines={5}>
      {({ items, nextCursor }) => (
        <>
          {items.length === 0 && <p class="muted">No entries.</p>}
          <ol class="timeline">
            {items.map((entry) => (
              <LedgerItem key={`${entry.entryId} ${entry.kind}`} entry={entry} />
            ))}
          </ol>
          {isPaged && <Pager nextCursor={nextCursor} />}
        </>
      )}
    </Loaded>
  );
}
