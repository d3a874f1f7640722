import { newEventId, newTraceId, runWithTrace } from '@kernel/eventbus';
import { Injectable } from '@nestjs/common';
import { ArtifactStore } from '../artifact/artifact-store.js';
import { toGeoJson } from '../artifact/to-geojson.js';
import { readObservations } from '../ingest/read-observations.js';
import { ArtifactPublisher, type Publishing } from '../publication/artifact-publisher.js';
import { summariseFlow } from '../transform/summarise-flow.js';
import { idempotencyKeyOf } from './idempotency-key.js';

export const DATASET_ID = 'hydrology_flow_ks';

export interface RunResult extends Publishing {
  pipelineId: string;
  datasetId: string;
  version: string;
  idempotencyKey: string;
  artifactUri: string;
  checksum: string;
}

/** ingest -> transform -> artifact -> publish. Only the last step writes to the database, and it is repeatable. */
@Injectable()
export class FlowPipeline {
  constructor(
    private readonly artifacts: ArtifactStore,
    private readonly publisher: ArtifactPublisher,
  ) {}

  /** @param input the text of a CSV file of observations */
  run(input: string, version: string): Promise<RunResult> {
    return runWithTrace(newTraceId(), async () => {
      const pipelineId = `hydrology_flow_${version}_${newEventId()}`;
      const idempotencyKey = idempotencyKeyOf(DATASET_ID, version, input);
      const summary = summariseFlow(readObservations(input));
      const artifact = await this.artifacts.write(DATASET_ID, version, toGeoJson(summary));
      const run = { pipelineId, datasetId: DATASET_ID, version, idempotencyKey };
      const publishing = await this.publisher.publish({ ...run, artifact, summary });
      return { ...run, ...publishing, artifactUri: artifact.uri, checksum: artifact.checksum };
    });
  }
}
