import type { Attempt, SentBody } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { CodeBlock } from '../elements/code-block.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { indentJson } from '../policies/indent-json.ts';

/** Only the hash of a body is stored, so the body is rendered again and compared with the hash. */
export function SentBodyView({ deliveryId, attempt }: { deliveryId: string; attempt: Attempt }) {
  return (
    <div class="stack">
      <h3>Body as sent</h3>
      {attempt.bodySha256 === null ? (
        <p class="muted">None: it ended before one was made, or went to a handler inside the application.</p>
      ) : (
        <RenderedBody deliveryId={deliveryId} attempt={attempt.attempt} bodySha256={attempt.bodySha256} />
      )}
    </div>
  );
}

interface RenderedBodyProps {
  deliveryId: string;
  attempt: number;
  /** Identifies the attempt: attempt numbers restart with a replay. */
  bodySha256: string;
}

function RenderedBody({ deliveryId, attempt, bodySha256 }: RenderedBodyProps) {
  const sent = useResponse<SentBody>(`/deliveries/${deliveryId}/body`, { attempt, bodySha256 });
  return (
    <Loaded response={sent} lines={4}>
      {({ body, reason, matches, policyVersion }) =>
        body === null ? (
          <p class="muted">{reason ?? 'It can no longer be rendered.'}</p>
        ) : (
          <>
            <CodeBlock text={indentJson(body)} label="body as sent" />
            <div class="actions">
              {matches ? (
                <Badge tone="good">SHA-256 matches what was sent</Badge>
              ) : (
                <Badge tone="bad">Differs from what was sent</Badge>
              )}
              <span class="muted">
                {policyVersion === null ? 'without a policy' : `under policy version ${policyVersion}`}
              </span>
            </div>
            {!matches && (
              <p class="muted">
                {reason ?? 'Rendered again it gives other bytes than were sent; the ledger has the hash of those.'}
              </p>
            )}
          </>
        )
      }
    </Loaded>
  );
}
