import { Migration } from '@mikro-orm/migrations';

/**
 * The W3C `tracestate` that came with the request of an event, passed on with its webhooks. Null if there was none. A
 * separate trigger makes it immutable.
 */
export class Migration20261119000004TraceState extends Migration {
  override name = '20261119000004-trace-state';

  override up(): void {
    this.addSql(`alter table kernel_outbox_event add column trace_state text null`);
    this.addSql(`
      create trigger kernel_outbox_event_keep_trace_state before update of trace_state
        on kernel_outbox_event for each row execute function kernel_refuse_outbox_change()
    `);
    this.addSql(`alter table kernel_retained_event add column trace_state text null`);
  }

  override down(): void {
    this.addSql(`alter table kernel_retained_event drop column trace_state`);
    this.addSql(`drop trigger kernel_outbox_event_keep_trace_state on kernel_outbox_event`);
    this.addSql(`alter table kernel_outbox_event drop column trace_state`);
  }
}
