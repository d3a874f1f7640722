import type { Observation } from '../ingest/observation.js';

export type CareLabel = 'open' | 'restricted';

/** Statement that travels with the data to every consumer. */
export interface CareStatement {
  careLabel: CareLabel;
  /** The sovereign over the restricted part, or `none`. */
  sovereignty: string;
  /** The agreements under which the data may be used. */
  governanceRef: string;
}

/** One restricted site makes the whole dataset restricted. */
export function stateCare(observations: readonly Observation[]): CareStatement {
  const restricted = observations.filter(({ access }) => access === 'restricted');
  const telling = restricted.length > 0 ? restricted : observations;
  return {
    careLabel: restricted.length > 0 ? 'restricted' : 'open',
    sovereignty: listOf(telling.map(({ sovereignty }) => sovereignty)),
    governanceRef: listOf(telling.map(({ governance_ref: reference }) => reference)),
  };
}

function listOf(names: string[]): string {
  return [...new Set(names)].sort().join(', ');
}
