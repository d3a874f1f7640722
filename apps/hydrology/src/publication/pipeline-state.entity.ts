import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** State of a dataset's pipeline: the last run that published. */
export const PipelineStateEntity = defineEntity({
  name: 'PipelineState',
  tableName: 'hydrology_pipeline_state',
  properties: {
    datasetId: p.text().primary(),
    pipelineId: p.text(),
    version: p.text(),
    publications: p.integer(),
    updatedAt: p.datetime().columnType('timestamptz').defaultRaw('clock_timestamp()'),
  },
});
export type PipelineState = InferEntity<typeof PipelineStateEntity>;
