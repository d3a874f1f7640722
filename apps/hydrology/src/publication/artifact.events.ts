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
 * Of a restricted site others learn its flow and where it lies to some 11 km, neither its name nor its river. The labels go
 * with it under every policy. Running a pipeline again differs in its run alone, so that does not count as payload.
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
