import { defineEvent } from '@kernel/eventbus';
import { z } from 'zod';
import { OUTSIDE_DECIMALS } from '../care/precision.js';

const Site = z.strictObject({
  siteId: z.string(),
  name: z.string(),
  river: z.string(),
  coordinates: z.tuple([z.number(), z.number()]),
  observations: z.int(),
  meanFlowCms: z.number(),
  maxFlowCms: z.number(),
});

export const ArtifactPublishedPayload = z.strictObject({
  datasetId: z.string(),
  version: z.string(),
  artifactUri: z.string(),
  checksum: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  careLabel: z.enum(['open', 'restricted']),
  sovereignty: z.string(),
  governanceRef: z.string(),
  period: z.strictObject({ from: z.iso.datetime(), to: z.iso.datetime() }),
  sites: z.strictObject({ open: z.array(Site), restricted: z.array(Site) }),
});
export type ArtifactPublishedPayload = z.infer<typeof ArtifactPublishedPayload>;

/**
 * Of a restricted site only the flow and the location to about 11 km go out, not its name or river. The labels go out
 * under every policy. A repeated run differs only in its pipeline id, so that attribute is not identifying.
 */
export const ArtifactPublished = defineEvent({
  type: 'artifact.published.v1',
  schema: ArtifactPublishedPayload,
  idempotencyKey: 'required',
  identifyingAttributes: ['datasetId', 'version', 'artifactChecksum'],
  privacy: {
    labels: ['$.careLabel', '$.sovereignty', '$.governanceRef'],
    requiredAttributes: ['pipelineId', 'datasetId', 'version', 'artifactChecksum', 'careLabel'],
    rules: [
      { path: '$.datasetId', action: 'keep' },
      { path: '$.version', action: 'keep' },
      { path: '$.artifactUri', action: 'keep' },
      { path: '$.checksum', action: 'keep' },
      { path: '$.period', action: 'keep' },
      { path: '$.sites.open', action: 'keep' },
      { path: '$.sites.restricted[*].siteId', action: 'keep' },
      { path: '$.sites.restricted[*].observations', action: 'keep' },
      { path: '$.sites.restricted[*].meanFlowCms', action: 'keep' },
      { path: '$.sites.restricted[*].maxFlowCms', action: 'keep' },
      { path: '$.sites.restricted[*].coordinates', action: 'coarsen', decimals: OUTSIDE_DECIMALS },
    ],
  },
});
