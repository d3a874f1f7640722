import type { TestDatabase } from '@kernel/test-support/test-database';

/** Kernel state that contradicts the journal or itself. */
export async function selectStateFaults(database: TestDatabase): Promise<{ fault: string; count: number }[]> {
  return database.query(`
    with fault (fault, id) as (
      select 'committed event is not in the outbox', j.event_id::text
      from crash_journal j left join kernel_outbox_event e using (event_id) where e.event_id is null
      union all
      select 'event in the outbox was not committed by the domain', e.event_id::text
      from kernel_outbox_event e left join crash_journal j using (event_id) where j.event_id is null
      union all
      select 'sequence is not the order of commits', e.event_id::text
      from kernel_outbox_event e join crash_journal j using (event_id) where e.stream_sequence is distinct from j.place
      union all
      select 'event was not routed exactly once', e.event_id::text
      from kernel_outbox_event e
      left join kernel_ledger_entry l on l.event_id = e.event_id and l.kind = 'published'
      group by e.event_id having count(l.*) <> 1
      union all
      select 'delivery is ' || d.status || coalesce(' (' || d.dead_letter_reason || ')', ''), d.delivery_id::text
      from kernel_webhook_delivery d where d.status <> 'DELIVERED'
      union all
      select 'delivery has not exactly one entry of a delivered attempt', d.delivery_id::text
      from kernel_webhook_delivery d
      left join kernel_ledger_entry l on l.delivery_id = d.delivery_id and l.conclusion = 'delivered'
      where d.status = 'DELIVERED'
      group by d.delivery_id having count(l.*) <> 1
      union all
      select 'ledger says dead-lettered', l.delivery_id::text from kernel_ledger_entry l
      where l.kind = 'dead-lettered' or l.conclusion = 'dead-lettered'
    )
    select fault, count(*)::int as count from fault group by 1 order by 1
  `);
}
