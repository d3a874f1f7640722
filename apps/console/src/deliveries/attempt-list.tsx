import { useState } from 'preact/hooks';
import type { Attempt, DeliveryStory } from '../connection/responses.ts';
import { CodeBlock } from '../elements/code-block.tsx';
import { formatMs } from '../elements/format-number.ts';
import { Badge, type Tone } from '../elements/status-badge.tsx';
import { Time } from '../elements/time.tsx';
import { SentBodyView } from './sent-body-view.tsx';

export function AttemptList({ delivery }: { delivery: DeliveryStory }) {
  if (delivery.attemptLog.length === 0) {
    return <p class="muted">It has not been sent yet.</p>;
  }
  return (
    <ol class="attempts">
      {delivery.attemptLog.toReversed().map((attempt, index) => (
        <li key={attempt.at}>
          <AttemptEntry deliveryId={delivery.deliveryId} attempt={attempt} isLatest={index === 0} />
        </li>
      ))}
    </ol>
  );
}

interface AttemptEntryProps {
  deliveryId: string;
  attempt: Attempt;
  isLatest: boolean;
}

function AttemptEntry({ deliveryId, attempt, isLatest }: AttemptEntryProps) {
  const [isOpen, setOpen] = useState(isLatest);
  return (
    <details class="disclosure" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>Attempt {attempt.attempt}</strong>
        <Badge tone={toneOf(attempt)}>{attempt.statusCode ?? attempt.errorClass ?? 'no answer'}</Badge>
        {attempt.statusCode !== null && attempt.errorClass && <span class="muted">{attempt.errorClass}</span>}
        <span class="muted attempt-when">
          {attempt.latencyMs !== null && `${formatMs(attempt.latencyMs)} · `}
          <Time at={attempt.at} />
        </span>
      </summary>
      {isOpen && (
        <div class="columns">
          <SentBodyView deliveryId={deliveryId} attempt={attempt} />
          <div class="stack">
            <h3>Response</h3>
            {attempt.responseExcerpt ? (
              <CodeBlock text={attempt.responseExcerpt} label="response excerpt" />
            ) : (
              <p class="muted">The answer had no body.</p>
            )}
          </div>
        </div>
      )}
    </details>
  );
}

function toneOf({ statusCode, errorClass }: Attempt): Tone {
  return errorClass === null && statusCode !== null && statusCode < 300 ? 'good' : 'bad';
}
