import { prepared } from '../runtime/prepared.js';

/** Says which events this worker is about to send before their deliveries are written. */
export const noteBatch = prepared<'batchId' | 'workerId' | 'eventIds'>`
  insert into kernel_unwritten_batch (batch_id, worker_id, event_ids)
  values (${'batchId'}, ${'workerId'}, ${'eventIds'}::uuid[])
`;

/** For a batch that could not be written while its worker lives. */
export const forgetBatch = prepared<'batchId'>`delete from kernel_unwritten_batch where batch_id = ${'batchId'}`;

/**
 * For a claim: the events of batches whose worker is gone. Whoever holds a live batch has its events locked, so that only these can be
 * met.
 */
export const ABANDONED = {
  text: `
    abandoned as materialized (
      select unnest(b.event_ids) as event_id from kernel_unwritten_batch b
      where not exists (select from kernel_worker w where w.worker_id = b.worker_id)
    )`,
};
