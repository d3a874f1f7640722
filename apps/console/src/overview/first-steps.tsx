import type { Event, Page } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { ButtonLink } from '../elements/button.tsx';
import { Icon } from '../elements/icon.tsx';
import { hrefOf } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';

/** Getting started, shown until the first event is published. */
export function FirstSteps({ isPublished }: { isPublished: boolean }) {
  const scope = { tenantId: tenantId.value, limit: 1 };
  const endpoints = useResponse<Page<Endpoint>>('/endpoints', scope).data;
  const events = useResponse<Page<Event>>('/events', scope).data;
  if (!endpoints || !events) {
    return null;
  }
  const hasEndpoint = endpoints.items.length > 0;
  const hasEvent = isPublished || events.items.length > 0;
  if (hasEndpoint && hasEvent) {
    return null;
  }
  return (
    <section class="panel first-steps" aria-label="First steps">
      <h2>Nothing has been sent yet. Two steps, and it is live.</h2>
      <ol>
        <li class={hasEndpoint ? 'is-done' : undefined}>
          <span aria-hidden="true">{hasEndpoint ? <Icon name="check" /> : 1}</span>
          <div>
            <strong>Create an endpoint</strong>
            <p class="muted">A URL that gets the types of events you choose, signed and without personal data.</p>
          </div>
          {!hasEndpoint && (
            <ButtonLink kind="primary" icon="plus" href={hrefOf('/endpoints/new')}>
              New endpoint
            </ButtonLink>
          )}
        </li>
        <li class={hasEvent ? 'is-done' : undefined}>
          <span aria-hidden="true">{hasEvent ? <Icon name="check" /> : 2}</span>
          <div>
            <strong>Publish an event</strong>
            <p class="muted">
              Call <code>outbox.publish()</code> inside a transaction, or create an invoice with the curl line that{' '}
              <code>npm start</code> prints. It appears here as soon as it commits.
            </p>
          </div>
        </li>
      </ol>
    </section>
  );
}
