import type { Endpoint, Predicate } from '../connection/endpoint-responses.ts';

/** The subscriptions of an endpoint. */
export function SubscriptionList({ endpoint: { subscribedTypes, subscriptions } }: { endpoint: Endpoint }) {
  return (
    <ul class="subscriptions">
      {subscribedTypes.map((type) => {
        const narrowed = subscriptions.filter((subscription) => subscription.type === type);
        return (
          <li key={type}>
            <strong>{type}</strong>
            {narrowed.length === 0 && <p class="muted">all of them</p>}
            {narrowed.map(({ match, predicates }, index) => (
              <p key={index} class="muted">
                {index > 0 && 'or '}
                {predicates.length === 0
                  ? 'all of them'
                  : predicates.map(formatPredicate).join(match === 'any' ? ' or ' : ' and ')}
              </p>
            ))}
          </li>
        );
      })}
    </ul>
  );
}

function formatPredicate({ path, operator, value }: Predicate): string {
  return operator === 'exists'
    ? `${path} ${value === false ? 'is missing' : 'exists'}`
    : `${path} ${operator} ${JSON.stringify(value)}`;
}
