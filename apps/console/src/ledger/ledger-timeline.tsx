import { useEffect } from 'preact/hooks';
import type { Query } from '../connection/admin-api.ts';
import type { LedgerEntry, Page } from '../connection/answers.ts';
import { useAnswer } from '../connection/use-answer.ts';
import { Loaded } from '../elements/loaded.tsx';
import { Pager } from '../elements/pager.tsx';
import { LedgerItem } from './ledger-item.tsx';
import './ledger.css';

interface LedgerTimelineProps {
  query: Query;
  /** Asks again when it changes. */
  changes?: number;
  isPaged?: boolean;
}

/** Entries, newest first. */
export function LedgerTimeline({ query, changes, isPaged = false }: LedgerTimelineProps) {
  const entries = useAnswer<Page<LedgerEntry>>('/audit', query);
  useEffect(() => {
    if (changes !== undefined) entries.reload();
  }, [changes]);
  return (
    <Loaded answer={entries} lines={5}>
      {({ items, nextCursor }) => (
        <>
          {items.length === 0 && <p class="muted">No entries.</p>}
          <ol class="timeline">
            {items.map((entry) => (
              <LedgerItem key={entry.entryId} entry={entry} />
            ))}
          </ol>
          {isPaged && <Pager nextCursor={nextCursor} />}
        </>
      )}
    </Loaded>
  );
}
