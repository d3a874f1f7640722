import type { FlowSummary, SiteFlow } from '../transform/flow-summary.js';

/** The artifact as GeoJSON: the same bytes for the same summary. */
export function toGeoJson({ sites, period, ...care }: FlowSummary): string {
  const features = [
    ...sites.open.map((site) => toFeature(site, 'open')),
    ...sites.restricted.map((site) => toFeature(site, 'restricted')),
  ];
  return `${JSON.stringify({ type: 'FeatureCollection', ...care, period, features }, null, 2)}\n`;
}

function toFeature({ siteId, coordinates, ...properties }: SiteFlow, careLabel: string): object {
  return {
    type: 'Feature',
    id: siteId,
    geometry: { type: 'Point', coordinates },
    properties: { ...properties, careLabel },
  };
}
