import { useEffect, useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { DeadLetterGroup, ReplayResult } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { ReasonDialog } from '../elements/reason-dialog.tsx';
import { formatCount, formatPlural } from '../elements/format-number.ts';
import { toast } from '../elements/toasts.tsx';

interface ReplayBarProps {
  groups: readonly DeadLetterGroup[];
  /** Filter by type and time. */
  narrowed: Record<string, string>;
  onStarted: () => void;
}

/** Counts first, then replays, one operation per group. */
export function ReplayBar({ groups, narrowed, onStarted }: ReplayBarProps) {
  const [count, setCount] = useState<number>();
  const [isAsking, setAsking] = useState(false);
  const wanted = JSON.stringify([groups.map(({ endpointId, errorClass }) => [endpointId, errorClass]), narrowed]);
  useEffect(() => setCount(undefined), [wanted]);

  const order = (body: object) =>
    Promise.all(
      groups.map(({ endpointId, errorClass }) => {
        const filter = { status: 'DLQ', endpointId, errorClass, ...narrowed };
        return ask<ReplayResult>('/deliveries/replay', { method: 'POST', body: { filter, ...body } });
      }),
    );
  const dryRun = useAction(async () => {
    const responses = await order({ reason: 'dry run', dryRun: true });
    setCount(responses.reduce((sum, response) => sum + (response.count ?? 0), 0));
  });
  const replay = async (reason: string) => {
    await order({ reason });
    toast('good', 'The replay is under way.');
    onStarted();
  };
  return (
    <div class="replay-bar">
      <span aria-live="polite">
        {groups.length === 0
          ? 'Choose groups to replay.'
          : count === undefined
            ? `${formatPlural(groups.length, 'group')} chosen.`
            : `${formatPlural(count, 'delivery', 'deliveries')} would be sent again.`}
      </span>
      {dryRun.problem && <ProblemNotice problem={dryRun.problem} />}
      <div class="actions">
        <Button disabled={groups.length === 0} isBusy={dryRun.isRunning} onClick={() => void dryRun.run()}>
          Count
        </Button>
        <Button
          kind="primary"
          icon="replay"
          disabled={groups.length === 0 || count === 0}
          onClick={() => setAsking(true)}
        >
          {count ? `Replay ${formatCount(count)}` : 'Replay'}
        </Button>
      </div>
      {isAsking && (
        <ReasonDialog title="Replay dead letters" verb="Replay" onConfirm={replay} onClose={() => setAsking(false)}>
          {count === undefined ? 'All chosen dead letters are' : `${formatPlural(count, 'dead letter')} are`} sent again
          to their endpoints, spread over time. You can cancel while it runs.
        </ReasonDialog>
      )}
    </div>
  );
}
