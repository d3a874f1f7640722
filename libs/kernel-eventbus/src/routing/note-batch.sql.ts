import { prepared } from '../runtime/prepared.js';

/** Says which events this worker is about to send before their deliveries are written, and when they say that this was. */
export const noteBatch = prepared<'batchId' | 'workerId' | 'eventIds' | 'dispatchedAt'>`
  insert into kernel_unwritten_batch (batch_id, worker_id, event_ids, dispatched_at)
  values (${'batchId'}, ${'workerId'}, ${'eventIds'}::uuid[], ${'dispatchedAt'}::timestamptz[])
`;

/**
 * For a claim: what was noted of the events `claimed`. Whoever holds a batch has its events locked, so that these are of batches
 * that came to nothing; and if their worker is gone, one of them may be why.
 */
export const NOTED = {
  text: `
    noted as materialized (
      select u.event_id, min(u.dispatched_at) as dispatched_at,
        bool_or(b.worker_id is not null and not exists (select from kernel_worker w where w.worker_id = b.worker_id))
          as is_suspect
      from kernel_unwritten_batch b
      cross join lateral unnest(b.event_ids, b.dispatched_at) as u (event_id, dispatched_at)
      where u.event_id in (select event_id from claimed)
      group by u.event_id
    )`,
};
