import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { appendEntries, KERNEL_ACTOR, ledgerEntry } from '@kernel/ledger';
import { parkLanes, parkOpenDeliveries } from '../deliveries/parking.sql.js';
import { announceEndpointChange, disableEndpoint } from '../endpoints/endpoints.sql.js';
import { WakeUp } from '../runtime/wake-up.js';
import type { ClaimedDelivery } from '../deliveries/claimed-delivery.js';
import { engineDatabase } from '@kernel/runtime';

const REASON = 'answered 410 Gone';

/** Disables an endpoint that answered 410 and parks its deliveries. An operator may enable it again. */
@Injectable()
export class GoneEndpoints {
  readonly #logger = new Logger(GoneEndpoints.name);

  constructor(
    private readonly em: EntityManager,
    private readonly wakeUp: WakeUp,
  ) {}

  async disable({ endpointId, tenantId, eventId, deliveryId, traceId }: ClaimedDelivery): Promise<void> {
    await engineDatabase(this.em)
      .transaction()
      .execute(async (trx) => {
        if (!(await disableEndpoint(trx, endpointId))) {
          return;
        }
        await parkLanes(trx, endpointId);
        await parkOpenDeliveries(trx, endpointId);
        await announceEndpointChange(trx, { endpointId });
        await appendEntries(trx, [
          ledgerEntry({
            kind: 'endpoint-disabled',
            actor: KERNEL_ACTOR,
            reason: REASON,
            statusCode: 410,
            tenantId,
            endpointId,
            eventId,
            deliveryId,
            traceId,
          }),
        ]);
        this.#logger.warn({ msg: 'endpoint disabled', reason: REASON, endpointId, tenantId });
      });
    this.wakeUp.endpointChanged({ endpointId });
  }
}
