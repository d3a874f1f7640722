import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Verification } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Icon } from '../elements/icon.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { formatPlural } from '../elements/format-number.ts';

export function VerifyLedger() {
  const [found, setFound] = useState<Verification>();
  const { run, isRunning, problem } = useAction(async () => {
    setFound(await ask<Verification>('/audit/verify', { method: 'POST', body: {} }));
  });
  return (
    <Panel
      title="Integrity"
      actions={
        <Button icon="shield" isBusy={isRunning} onClick={() => void run()}>
          Verify
        </Button>
      }
    >
      <div class="verification" aria-live="polite">
        {problem && <ProblemNotice problem={problem} />}
        {found ? (
          <Verdict found={found} />
        ) : (
          <p class="muted">
            Recomputes every seal and names the first entry that was altered, removed, inserted or reordered.
          </p>
        )}
      </div>
    </Panel>
  );
}

function Verdict({
  found: { isIntact, firstBroken, verifiedEntries, verifiedBatches, unsealed, head },
}: {
  found: Verification;
}) {
  return (
    <>
      <div class={`notice is-${isIntact ? 'good' : 'bad'}`}>
        <Icon name={isIntact ? 'check' : 'alert'} />
        <div>
          <strong>{isIntact ? 'The ledger is as it was sealed' : 'The ledger was changed'}</strong>
          {firstBroken && (
            <p>
              {firstBroken.fault} in batch {firstBroken.batchNumber}
              {firstBroken.entryId && (
                <>
                  , entry <code>{firstBroken.entryId}</code>
                </>
              )}
            </p>
          )}
          <p>
            {formatPlural(verifiedEntries, 'entry', 'entries')} in {formatPlural(verifiedBatches, 'batch', 'batches')}{' '}
            verified, {formatPlural(unsealed.entries, 'entry', 'entries')} not yet sealed.
          </p>
          {head && (
            <p>
              Head: batch {head.batchNumber}, seal <code>{head.seal}</code>
            </p>
          )}
        </div>
      </div>
    </>
  );
}
