import { useEffect } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Operation, OperationState, Page } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { useResponse } from '../connection/use-response.ts';
import { Button } from '../elements/button.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { formatCount } from '../elements/format-number.ts';
import { Badge, type Tone } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { tenantId } from '../session/session.ts';

const LOOKS: Record<OperationState, [Tone, string]> = {
  pending: ['accent', 'Waiting'],
  running: ['accent', 'Running'],
  completed: ['good', 'Done'],
  cancelled: ['quiet', 'Cancelled'],
  failed: ['bad', 'Failed'],
};

const isOpen = ({ state }: Operation) => state === 'pending' || state === 'running';

/** Recent bulk replays with their progress. */
export function OperationList({ onProgress }: { onProgress: () => void }) {
  const operations = useResponse<Page<Operation>>('/operations', { tenantId: tenantId.value, limit: 8 }, 1_500);
  const done = operations.data?.items.reduce((sum, operation) => sum + operation.done, 0);
  useEffect(() => {
    if (done) onProgress();
  }, [done]);
  return (
    <Panel title="Replays">
      <Loaded response={operations} lines={2}>
        {({ items }) =>
          items.length > 0 ? (
            <ul class="operations">
              {items.map((operation) => (
                <OperationItem key={operation.operationId} operation={operation} onCancelled={operations.reload} />
              ))}
            </ul>
          ) : (
            <p class="muted">None yet. Their progress is shown here.</p>
          )
        }
      </Loaded>
    </Panel>
  );
}

function OperationItem({ operation, onCancelled }: { operation: Operation; onCancelled: () => void }) {
  const { operationId, state, total, done, failed, reason, actor, endpointId, createdAt, lastError } = operation;
  const [tone, text] = LOOKS[state];
  const cancel = useAction(async () => {
    await ask(`/operations/${operationId}/cancel`, { method: 'POST' });
    onCancelled();
  });
  return (
    <li class="operation">
      <div class="operation-head">
        <Badge tone={tone}>{text}</Badge>
        {endpointId && <EndpointName endpointId={endpointId} />}
        <span class="muted">
          {reason}, by {actor}, <Ago at={createdAt} />
        </span>
        {isOpen(operation) && (
          <Button isBusy={cancel.isRunning} onClick={() => void cancel.run()}>
            Cancel
          </Button>
        )}
      </div>
      <div class="operation-progress">
        <progress max={Math.max(1, total)} value={done + failed} aria-label={`Progress of the replay: ${reason}`} />
        <span>
          {formatCount(done)} of {formatCount(total)}
          {failed > 0 && `, ${formatCount(failed)} no longer to be had`}
        </span>
      </div>
      {lastError && <p class="field-error">{lastError}</p>}
      {cancel.problem && <ProblemNotice problem={cancel.problem} />}
    </li>
  );
}
