import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A published artifact; one per version of a dataset. */
export const ArtifactVersionEntity = defineEntity({
  name: 'ArtifactVersion',
  tableName: 'hydrology_artifact_version',
  properties: {
    datasetId: p.text().primary(),
    version: p.text().primary(),
    pipelineId: p.text(),
    idempotencyKey: p.text(),
    artifactUri: p.text(),
    checksum: p.text(),
    byteSize: p.bigint('number'),
    careLabel: p.text(),
    createdAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type ArtifactVersion = InferEntity<typeof ArtifactVersionEntity>;
