import type { Predicate } from '../subscription.js';
import type { SubscriptionVerdict } from './subscription-judge.js';

const MAX_QUOTED = 5;
const MAX_VALUE_LENGTH = 100;

/** Explains a verdict to people who test a subscription. Quotes its predicates, never the payload. */
export function describeVerdict(verdict: SubscriptionVerdict): string {
  if (verdict.isMatch) {
    return 'matches';
  }
  if (verdict.failed === 'type') {
    return 'type not subscribed';
  }
  const { failed } = verdict;
  const quoted = failed.slice(0, MAX_QUOTED).map((predicate) => `\`${describePredicate(predicate)}\``);
  const rest = failed.length > MAX_QUOTED ? ` and ${failed.length - MAX_QUOTED} more` : '';
  return `${failed.length > 1 ? 'predicates' : 'predicate'} ${quoted.join(', ')}${rest} did not match`;
}

function describePredicate({ path, operator, value }: Predicate): string {
  const text = JSON.stringify(value);
  return `${path} ${operator} ${text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text}`;
}
