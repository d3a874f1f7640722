import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Ping } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Icon } from '../elements/icon.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { formatMs } from '../elements/format-number.ts';

/** Sends one webhook now, bypassing the outbox. */
export function TestSend({ endpointId }: { endpointId: string }) {
  const [ping, setPing] = useState<Ping>();
  const { run, isRunning, problem } = useAction(async () => {
    setPing(await ask<Ping>(`/endpoints/${endpointId}/test`, { method: 'POST' }));
  });
  return (
    <section class="panel test-send" aria-label="Test">
      <div>
        <h2>Send a test</h2>
        <p class="muted">
          A signed <code>kernel.ping.v1</code>, sent at once.
        </p>
      </div>
      <div aria-live="polite" class="test-result">
        {problem && <ProblemNotice problem={problem} />}
        {ping && (
          <div class={`notice is-${ping.delivered ? 'good' : 'bad'}`}>
            <Icon name={ping.delivered ? 'check' : 'alert'} />
            <div>
              <strong>{ping.delivered ? 'Taken' : 'Not taken'}</strong>
              <p>
                {[
                  ping.statusCode !== null && `status ${ping.statusCode}`,
                  ping.errorClass,
                  ping.latencyMs !== null && formatMs(ping.latencyMs),
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </p>
            </div>
          </div>
        )}
      </div>
      <Button icon="send" isBusy={isRunning} onClick={() => void run()}>
        Send test
      </Button>
    </section>
  );
}
