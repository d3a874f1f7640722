import type { CareStatement } from '../care/care-statement.js';
import type { Coordinates } from '../care/precision.js';

export interface SiteFlow {
  siteId: string;
  name: string;
  river: string;
  coordinates: Coordinates;
  observations: number;
  /** Cubic metres per second. */
  meanFlowCms: number;
  maxFlowCms: number;
}

/** Open and restricted sites are separate, so a policy can treat them differently. */
export interface FlowSummary extends CareStatement {
  period: { from: string; to: string };
  sites: { open: SiteFlow[]; restricted: SiteFlow[] };
}
