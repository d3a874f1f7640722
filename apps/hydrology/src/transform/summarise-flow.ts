import { stateCare } from '../care/care-statement.js';
import { coarsen, INSIDE_DECIMALS, type Coordinates } from '../care/precision.js';
import type { Observation } from '../ingest/observation.js';
import type { FlowSummary, SiteFlow } from './flow-summary.js';

/** Part of the idempotency key: increment it when the output of the transform changes. */
export const TRANSFORM_VERSION = 1;

const CUBIC_METRES_PER_CUBIC_FOOT = 0.028316846592;

/** Pure: the same observations give the same summary, in any order. */
export function summariseFlow(observations: readonly Observation[]): FlowSummary {
  const times = observations.map(({ observed_at: at }) => new Date(at).toISOString()).sort();
  const sites = Map.groupBy(observations, ({ site_id: siteId }) => siteId);
  const ofAccess = (access: Observation['access']) =>
    [...sites.values()]
      .filter(([first]) => first!.access === access)
      .map(summariseSite)
      .sort((one, other) => (one.siteId < other.siteId ? -1 : 1));
  return {
    ...stateCare(observations),
    period: { from: times[0]!, to: times.at(-1)! },
    sites: { open: ofAccess('open'), restricted: ofAccess('restricted') },
  };
}

function summariseSite(observations: Observation[]): SiteFlow {
  const { site_id: siteId, name, river, latitude, longitude, access } = observations[0]!;
  const flows = observations.map(({ discharge_cfs: cubicFeet }) => cubicFeet * CUBIC_METRES_PER_CUBIC_FOOT);
  // Sorted, because a sum of fractions depends on their order.
  const total = flows.sort((one, other) => one - other).reduce((sum, flow) => sum + flow, 0);
  const exact: Coordinates = [longitude, latitude];
  return {
    ...{ siteId, name, river },
    coordinates: access === 'restricted' ? coarsen(exact, INSIDE_DECIMALS) : exact,
    observations: flows.length,
    meanFlowCms: toLitres(total / flows.length),
    maxFlowCms: toLitres(flows.at(-1)!),
  };
}

function toLitres(cubicMetres: number): number {
  return Number(cubicMetres.toFixed(3));
}
