import { LARGE_TENANT } from './large-tenancy.sql.ts';

/** Ids of rows of the large tenant, for routes that take one. */
export interface KnownIds {
  eventId: string;
  deliveryId: string;
  deadLetterId: string;
  laneId: string;
  operationId: string;
  tokenId: string;
  /** An endpoint with a secret of its own. */
  endpointId: string;
  secretAlias: string;
}

type Query = (statement: string) => Promise<unknown[]>;

/** `endpoint` is one that the admin API created. */
export async function findKnownIds(query: Query, endpoint: Record<string, unknown>): Promise<KnownIds> {
  const find = async (column: string, table: string, condition: string) => {
    const statement = `select ${column} as id from ${table} where tenant_id = '${LARGE_TENANT}' and ${condition} limit 1`;
    const [row] = (await query(statement)) as { id: string }[];
    return row!.id;
  };
  return {
    eventId: await find('event_id', 'kernel_outbox_event', `status = 'PUBLISHED'`),
    deliveryId: await find('delivery_id', 'kernel_webhook_delivery', `status = 'DELIVERED'`),
    deadLetterId: await find('delivery_id', 'kernel_webhook_delivery', `status = 'DLQ'`),
    laneId: await find('lane_id', 'kernel_lane', 'blocked_by is not null'),
    operationId: await find('operation_id', 'kernel_operation', `state = 'running'`),
    tokenId: await find('token_id', 'kernel_admin_token', 'true'),
    endpointId: endpoint.endpointId as string,
    secretAlias: endpoint.signingSecretAlias as string,
  };
}
