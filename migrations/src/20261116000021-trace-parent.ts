import { Migration } from '@mikro-orm/migrations';

/**
 * The span that published an event, as W3C `traceparent`, so that the spans of its deliveries, in other processes and
 * long after, belong to the same trace. Null if the publisher is not traced. A separate trigger makes it immutable.
 */
export class Migration20261116000021TraceParent extends Migration {
  override name = '20261116000021-trace-parent';

  override up(): void {
    this.addSql(`alter table kernel_outbox_event add column trace_parent text null`);
    this.addSql(`
      create trigger kernel_outbox_event_keep_trace_parent before update of trace_parent
        on kernel_outbox_event for each row execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`alter table kernel_retained_event add column trace_parent text null`);
  }

  override down(): void {
    this.addSql(`alter table kernel_retained_event drop column trace_parent`);
    this.addSql(`drop trigger kernel_outbox_event_keep_trace_parent on kernel_outbox_event`);
    this.addSql(`alter table kernel_outbox_event drop column trace_parent`);
  }
}
