import type { LedgerEntry } from '../connection/responses.ts';
import { JsonBlock } from '../elements/code-block.tsx';
import { formatMs } from '../elements/format-number.ts';
import { ShortId } from '../elements/short-id.tsx';
import type { Tone } from '../elements/status-badge.tsx';
import { Time } from '../elements/time.tsx';
import { EndpointName } from '../endpoints/endpoint-name.tsx';
import { hrefOf } from '../navigation/location.ts';

const TONES: Record<string, Tone> = {
  delivered: 'good',
  'dead-lettered': 'bad',
  deferred: 'warn',
  'endpoint-disabled': 'warn',
  'token-revoked': 'warn',
  'secret-revoked': 'warn',
};

/** One ledger entry: kind, time, actor and details. */
export function LedgerItem({ entry }: { entry: LedgerEntry }) {
  const { kind, statusCode, latencyMs, attempt, errorClass, error, reason, detail } = entry;
  const said = [
    attempt !== null && `attempt ${attempt}`,
    statusCode !== null && `status ${statusCode}`,
    latencyMs !== null && formatMs(latencyMs),
    errorClass,
  ].filter((text) => typeof text === 'string');
  return (
    <li class={`is-${TONES[kind] ?? (errorClass ? 'bad' : 'quiet')}`}>
      <div class="timeline-head">
        <strong>{kind}</strong>
        {entry.eventType && <span>{entry.eventType}</span>}
        <span class="muted">{said.join(' · ')}</span>
        <span class="muted timeline-when">
          <Time at={entry.recordedAt} />
        </span>
      </div>
      <div class="timeline-links muted">
        <span>by {entry.actor}</span>
        {entry.deliveryId && (
          <a href={hrefOf(`/deliveries/${entry.deliveryId}`)}>
            delivery <ShortId id={entry.deliveryId} />
          </a>
        )}
        {entry.eventId && (
          <a href={hrefOf(`/events/${entry.eventId}`)}>
            event <ShortId id={entry.eventId} />
          </a>
        )}
        {entry.endpointId && <EndpointName endpointId={entry.endpointId} />}
        <a href={hrefOf('/ledger', { traceId: entry.traceId })}>
          trace <ShortId id={entry.traceId} />
        </a>
      </div>
      {reason && <p>Reason: {reason}</p>}
      {error && <p class="muted">{error}</p>}
      {detail && (
        <details class="timeline-detail">
          <summary>Detail</summary>
          <JsonBlock value={detail} label={`detail of ${kind}`} />
        </details>
      )}
    </li>
  );
}
