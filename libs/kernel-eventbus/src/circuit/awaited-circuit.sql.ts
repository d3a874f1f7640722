import { sql, type RawBuilder } from 'kysely';

/**
 * Circuit `k` is that of an endpoint that is to get something. Whoever disables or deletes a dead endpoint has dealt with it: its
 * circuit stays as it is, because nothing probes it any more, and is nobody's concern.
 */
export function isAwaited(k: string): RawBuilder<unknown> {
  return sql.raw(`not exists (
    select from kernel_webhook_endpoint p
    where p.endpoint_id = ${k}.endpoint_id and (not p.is_enabled or p.deleted_at is not null)
  )`);
}
