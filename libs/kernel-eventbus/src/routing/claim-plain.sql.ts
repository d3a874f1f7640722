import type { Statement } from '../runtime/hot-statement.js';
import { part, prepared } from '../runtime/prepared.js';
import { CLAIMED_COLUMNS, type ClaimedEvent } from './claim-pending-events.sql.js';
import {
  HAND_OFF_ENDPOINT,
  IS_CHOOSY,
  IS_DEAD,
  SUBSCRIBES_TO_PAIR,
  type HandOffEndpoint,
} from './hand-off-endpoint.sql.js';
import { NOTED } from './note-batch.sql.js';
import { OLDEST_PENDING, PENDING_IN_TURN, TENANT_TURNS } from './pending-events.sql.js';

/** An endpoint that subscribes to a type of events of a tenant. */
export interface Subscriber extends HandOffEndpoint {
  forTenantId: string;
  forType: string;
  /** It wants order, or looks into the payload. */
  isChoosy: boolean;
  /** Its circuit is open: what is routed to it waits. */
  isDead: boolean;
}

export interface ClaimedPlain extends ClaimedEvent {
  /** Of all the events together; in the first row only. */
  subscribers: Subscriber[] | null;
}

/** Who subscribes to the events `claimed`. */
const SUBSCRIBERS = part<never>`
  case when row_number() over () = 1 then (
    select json_agg(json_build_object(
      'forTenantId', pair.tenant_id, 'forType', pair.type,
      'isChoosy', ${IS_CHOOSY}, 'isDead', ${IS_DEAD},
      ${HAND_OFF_ENDPOINT}
    ))
    from (select distinct tenant_id, type from claimed) pair
    join kernel_webhook_endpoint p on ${SUBSCRIBES_TO_PAIR}
  ) end as subscribers
`;

/** The oldest pending events, locked, and who subscribes to them. */
const claimPlain = prepared<'limit', ClaimedPlain>`
  with claimed as materialized (${OLDEST_PENDING}), ${NOTED}
  select ${CLAIMED_COLUMNS}, ${SUBSCRIBERS} from claimed
`;

/** The same where more waits than a batch can take: each tenant gets its turn. */
const claimPlainInTurn = prepared<'limit' | 'afterTenantId', ClaimedPlain>`
  with recursive ${TENANT_TURNS}, claimed as materialized (${PENDING_IN_TURN}), ${NOTED}
  select ${CLAIMED_COLUMNS}, share, ${SUBSCRIBERS} from claimed
`;

/** Either, as a statement to be sent. */
export function claimPending({
  limit,
  afterTenantId,
}: {
  limit: number;
  afterTenantId: string | undefined;
}): Statement {
  return afterTenantId === undefined ? claimPlain.bind({ limit }) : claimPlainInTurn.bind({ limit, afterTenantId });
}
