import type { Observation } from '../ingest/observation.js';

export type CareLabel = 'open' | 'restricted';

/** What has to travel with the data, whoever gets it. */
export interface CareStatement {
  careLabel: CareLabel;
  /** Who is sovereign over the restricted part, or `none`. */
  sovereignty: string;
  /** The agreements under which it may be used. */
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
