import { Migration } from '@mikro-orm/migrations';

/**
 * Whether an operator or the host application set an endpoint's url: only then the outgoing guard makes exceptions.
 * They also write the url to `operator_url`. An insert or update that does not, e.g. by a process of an earlier
 * version, gets no exception.
 */
export class Migration20261118000001OperatorUrls extends Migration {
  override name = '20261118000001-operator-urls';

  override up(): void {
    this.addSql(`alter table kernel_webhook_endpoint add column operator_url text null`);
    this.findOperatorUrls();
    this.addSql(`
      alter table kernel_webhook_endpoint add column url_set_by_operator boolean not null
        generated always as (coalesce(operator_url = url, false)) stored
    `);
  }

  override down(): void {
    this.addSql(`alter table kernel_webhook_endpoint drop column url_set_by_operator, drop column operator_url`);
  }

  /**
   * The ledger shows which token set an endpoint's url: its id ends the actor's name. Without such an entry, the url
   * counts as the tenant's if the tenant has ever had a token.
   */
  private findOperatorUrls(): void {
    this.addSql(`
      with last_set as (
        select distinct on (endpoint_id) endpoint_id, detail #>> '{after,url}' as url,
          substring(actor from '\\(([0-9a-f-]{36})\\)$') as token_id
        from kernel_ledger_entry
        where kind in ('endpoint-created', 'endpoint-updated')
          and kind <> 'published' and kind <> 'attempt' and kind <> 'delivered'
          and detail #>> '{after,url}' is not null
        order by endpoint_id, recorded_at desc, entry_id desc
      )
      update kernel_webhook_endpoint p
      set operator_url = p.url
      from kernel_webhook_endpoint known
        left join last_set s on s.endpoint_id = known.endpoint_id and s.url = known.url
      where p.endpoint_id = known.endpoint_id
        and not exists (
          select from kernel_admin_token t
          where t.tenant_id = known.tenant_id and (s.endpoint_id is null or t.token_id::text = s.token_id)
        )
    `);
  }
}
