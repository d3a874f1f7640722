import { sql, type Kysely } from 'kysely';

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
