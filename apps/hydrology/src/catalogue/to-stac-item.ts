import { coarsen, OUTSIDE_DECIMALS, type Coordinates } from '../care/precision.js';
import type { ArtifactPublishedPayload } from '../publication/artifact.events.js';

/** The used part of a STAC item, 1.0.0. */
export interface StacItem {
  type: 'Feature';
  stac_version: '1.0.0';
  stac_extensions: string[];
  id: string;
  collection: string;
  geometry: { type: 'MultiPoint'; coordinates: Coordinates[] };
  bbox: [west: number, south: number, east: number, north: number];
  properties: Record<string, unknown>;
  assets: Record<string, Record<string, unknown>>;
  links: [];
}

/** The file extension requires a multihash: 0x12 is SHA-256, 0x20 its length. */
const SHA256_MULTIHASH = '1220';

/** The catalogue is public, so it shows restricted sites only as webhooks do. */
export function toStacItem(payload: ArtifactPublishedPayload): StacItem {
  const { datasetId, version, artifactUri, checksum, period, sites } = payload;
  const { careLabel, sovereignty, governanceRef } = payload;
  const coordinates = [
    ...sites.open.map((site) => site.coordinates),
    ...sites.restricted.map((site) => coarsen(site.coordinates, OUTSIDE_DECIMALS)),
  ];
  return {
    type: 'Feature',
    stac_version: '1.0.0',
    stac_extensions: ['https://stac-extensions.github.io/file/v2.1.0/schema.json'],
    id: `${datasetId}_${version}`,
    collection: datasetId,
    geometry: { type: 'MultiPoint', coordinates },
    bbox: boxAround(coordinates),
    properties: {
      datetime: null,
      start_datetime: period.from,
      end_datetime: period.to,
      version,
      'kfm:care_label': careLabel,
      'kfm:sovereignty': sovereignty,
      'kfm:governance_ref': governanceRef,
    },
    assets: {
      data: {
        href: artifactUri,
        type: 'application/geo+json',
        roles: ['data'],
        'file:checksum': `${SHA256_MULTIHASH}${checksum.slice('sha256:'.length)}`,
      },
    },
    links: [],
  };
}

function boxAround(coordinates: Coordinates[]): StacItem['bbox'] {
  const longitudes = coordinates.map(([longitude]) => longitude);
  const latitudes = coordinates.map(([, latitude]) => latitude);
  return [Math.min(...longitudes), Math.min(...latitudes), Math.max(...longitudes), Math.max(...latitudes)];
}
