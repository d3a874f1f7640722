import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Preview } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { CodeBlock } from '../elements/code-block.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { indentJson } from '../policies/indent-json.ts';
import { RemovedPaths } from '../policies/removed-paths.tsx';

/** The request that each endpoint would get now; sends nothing. */
export function EventPreview({ eventId }: { eventId: string }) {
  const [preview, setPreview] = useState<Preview>();
  const { run, isRunning, problem } = useAction(async () => {
    setPreview(await ask<Preview>(`/events/${eventId}/preview`, { method: 'POST' }));
  });
  return (
    <Panel
      title="What each endpoint would get now"
      actions={
        <Button isBusy={isRunning} onClick={() => void run()}>
          Preview
        </Button>
      }
    >
      {problem && <ProblemNotice problem={problem} />}
      {!preview && !problem && <p class="muted">Redacted under the current policies, sent to nobody.</p>}
      {preview?.items.length === 0 && <p class="muted">The tenant has no endpoints.</p>}
      {preview && preview.items.length < preview.endpoints && (
        <p class="muted">
          The first {preview.items.length} of {preview.endpoints} endpoints.
        </p>
      )}
      <div class="stack">
        {preview?.items.map((item) => (
          <details key={item.endpointId} class="disclosure">
            <summary>
              <EndpointName endpointId={item.endpointId} isLink={false} />
              <Badge tone={item.matches ? 'good' : 'quiet'}>{item.matches ? 'Would be sent' : item.reason}</Badge>
            </summary>
            <div class="columns">
              <CodeBlock text={indentJson(item.body)} label="body" />
              <RemovedPaths removed={item.removed.map(({ path, reason }) => ({ path, why: reason }))} />
            </div>
          </details>
        ))}
      </div>
    </Panel>
  );
}
