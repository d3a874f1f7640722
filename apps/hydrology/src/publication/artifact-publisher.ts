import { OutboxService, type EventInput } from '@kernel/eventbus';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { Artifact } from '../artifact/artifact-store.js';
import { KFM_TENANT_ID } from '../settings/hydrology-settings.js';
import type { FlowSummary } from '../transform/flow-summary.js';
import { ArtifactPublished } from './artifact.events.js';
import { insertArtifactVersion, putPipelineState } from './publication.sql.js';
import { VersionTakenError } from './version-taken.error.js';

export interface FinishedRun {
  pipelineId: string;
  datasetId: string;
  version: string;
  idempotencyKey: string;
  artifact: Artifact;
  summary: FlowSummary;
}

export interface Publishing {
  eventId: string;
  /** True if the same inputs were published before, so nothing was written. */
  isRepeat: boolean;
}

/** Artifact version, pipeline state and event commit in one transaction. */
@Injectable()
export class ArtifactPublisher {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
  ) {}

  publish(run: FinishedRun): Promise<Publishing> {
    return this.em.transactional(async (em) => {
      const { eventId, duplicateDetected = false } = await this.outbox.publish(
        ArtifactPublished,
        artifactPublished(run),
      );
      if (!duplicateDetected) {
        await this.register(em, run);
      }
      return { eventId, isRepeat: duplicateDetected };
    });
  }

  private async register(em: EntityManager, run: FinishedRun): Promise<void> {
    const { pipelineId, datasetId, version, idempotencyKey, summary } = run;
    const { uri: artifactUri, checksum, byteSize } = run.artifact;
    const { careLabel } = summary;
    const isNew = await insertArtifactVersion(em.getKysely(), {
      ...{ datasetId, version, pipelineId, idempotencyKey, artifactUri, checksum, byteSize, careLabel },
    });
    if (!isNew) {
      throw new VersionTakenError(datasetId, version);
    }
    await putPipelineState(em.getKysely(), { datasetId, pipelineId, version });
  }
}

function artifactPublished({ artifact, summary, ...run }: FinishedRun): EventInput<typeof ArtifactPublished> {
  const { pipelineId, datasetId, version, idempotencyKey } = run;
  const { uri: artifactUri, checksum } = artifact;
  return {
    tenantId: KFM_TENANT_ID,
    streamKey: `dataset:${datasetId}`,
    aggregateType: 'dataset',
    aggregateId: datasetId,
    idempotencyKey,
    payload: { datasetId, version, artifactUri, checksum, ...summary },
    attributes: { pipelineId, datasetId, version, artifactChecksum: checksum, careLabel: summary.careLabel },
  };
}
