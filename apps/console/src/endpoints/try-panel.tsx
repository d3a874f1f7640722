import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { DryRun } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { subscriptionsOf, type Draft } from './endpoint-draft.ts';

const SHOWN = 25;

/** Dry run of the types and filters in the form on the latest events. Nothing is stored or sent. */
export function TryPanel({ draft, isReady }: { draft: Draft; isReady: boolean }) {
  const [found, setFound] = useState<DryRun>();
  const { run, isRunning, problem } = useAction(async () => {
    const body = { tenantId: draft.tenantId, subscribedTypes: draft.types, subscriptions: subscriptionsOf(draft) };
    setFound(await ask<DryRun>('/endpoints/dry-run', { method: 'POST', body }));
  });
  return (
    <aside class="try-panel" aria-label="Try on recent events">
      <Panel
        title="Try on recent events"
        actions={
          <Button isBusy={isRunning} disabled={!isReady} onClick={() => void run()}>
            Try
          </Button>
        }
      >
        <div aria-live="polite" class="stack">
          {problem && <ProblemNotice problem={problem} />}
          {!found && !problem && (
            <p class="muted">Shows which of the last 200 events it would have got, and why not the others.</p>
          )}
          {found && (
            <>
              <p>
                <strong>{found.matched}</strong> of {found.checked} recent events match.
              </p>
              <ul class="tried">
                {found.items.slice(0, SHOWN).map(({ eventId, type, createdAt, matches, reason }) => (
                  <li key={eventId}>
                    <div>
                      {type}
                      <span class="muted">
                        <Ago at={createdAt} />
                      </span>
                    </div>
                    <Badge tone={matches ? 'good' : 'quiet'}>{matches ? 'Matches' : 'No match'}</Badge>
                    {!matches && <p class="muted">{reason}</p>}
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      </Panel>
    </aside>
  );
}
