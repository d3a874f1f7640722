import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Rotation } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { Field } from '../elements/field.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { Time } from '../elements/time.tsx';
import { ShowSecret } from './show-secret.tsx';

const OVERLAPS = [
  { seconds: 0, label: 'None: the old secret ends now' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: 86_400, label: '1 day' },
  { seconds: 604_800, label: '7 days' },
];

/** While both secrets are live, webhooks carry a signature of each, so the receiver can switch at any time. */
export function RotateDialog({ endpointId, onClose }: { endpointId: string; onClose: () => void }) {
  const [overlapSeconds, setOverlap] = useState(86_400);
  const [rotation, setRotation] = useState<Rotation>();
  const { run, isRunning, problem } = useAction(async () => {
    setRotation(
      await ask<Rotation>(`/endpoints/${endpointId}/rotate-secret`, { method: 'POST', body: { overlapSeconds } }),
    );
  });
  return (
    <Dialog title={rotation ? 'The new secret' : 'Rotate the signing secret'} onClose={onClose}>
      {rotation ? (
        <>
          <ShowSecret shown={rotation} />
          {rotation.overlapping.map(({ version, liveUntil }) => (
            <p key={version} class="muted">
              Version {version} signs beside it until <Time at={liveUntil} />.
            </p>
          ))}
          <div class="actions is-end">
            <Button kind="primary" onClick={onClose}>
              I have stored it
            </Button>
          </div>
        </>
      ) : (
        <>
          <Field label="Overlap" hint="How long the old secret signs beside the new one.">
            {(attributes) => (
              <select
                {...attributes}
                class="input"
                value={overlapSeconds}
                onChange={(event) => setOverlap(Number(event.currentTarget.value))}
              >
                {OVERLAPS.map(({ seconds, label }) => (
                  <option key={seconds} value={seconds}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {problem && <ProblemNotice problem={problem} />}
          <div class="actions is-end">
            <Button onClick={onClose}>Leave it</Button>
            <Button kind="primary" isBusy={isRunning} onClick={() => void run()}>
              Rotate
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
