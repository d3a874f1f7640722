import { sql, type Kysely } from 'kysely';

export interface NewArtifactVersion {
  datasetId: string;
  version: string;
  pipelineId: string;
  idempotencyKey: string;
  artifactUri: string;
  checksum: string;
  byteSize: number;
  careLabel: string;
}

/** False if the version exists already. */
export async function insertArtifactVersion(trx: Kysely<unknown>, artifact: NewArtifactVersion): Promise<boolean> {
  const { rows } = await sql`
    insert into hydrology_artifact_version
      (dataset_id, version, pipeline_id, idempotency_key, artifact_uri, checksum, byte_size, care_label)
    values
      (${artifact.datasetId}, ${artifact.version}, ${artifact.pipelineId}, ${artifact.idempotencyKey},
       ${artifact.artifactUri}, ${artifact.checksum}, ${artifact.byteSize}, ${artifact.careLabel})
    on conflict (dataset_id, version) do nothing
    returning version
  `.execute(trx);
  return rows.length > 0;
}

export interface Publication {
  datasetId: string;
  pipelineId: string;
  version: string;
}

export async function putPipelineState(trx: Kysely<unknown>, publication: Publication): Promise<void> {
  await sql`
    insert into hydrology_pipeline_state as s (dataset_id, pipeline_id, version, publications)
    values (${publication.datasetId}, ${publication.pipelineId}, ${publication.version}, 1)
    on conflict (dataset_id) do update
    set pipeline_id = excluded.pipeline_id, version = excluded.version, publications = s.publications + 1,
      updated_at = clock_timestamp()
  `.execute(trx);
}
