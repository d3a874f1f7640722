import { newId } from '@kernel/runtime';
import { LOOSE_TYPE, ORDERED_TYPE } from './engine.js';
import type { World } from './world.js';

export interface Publication {
  events: { tenant: number; stream: number; isOrdered: boolean }[];
  then: 'commit' | 'roll back' | 'roll back a savepoint';
}

class RolledBack extends Error {}

/** One transaction. With a savepoint, only its first event is committed. */
export async function publish({ engine, tenantIds, model }: World, { events, then }: Publication): Promise<void> {
  const { outbox, em } = engine.kernel;
  const publishable = events.map(({ tenant, stream, isOrdered }) => ({
    eventId: newId(),
    tenantId: tenantIds[tenant]!,
    streamKey: `stream ${stream}`,
    type: isOrdered ? ORDERED_TYPE : LOOSE_TYPE,
    traceId: 'trace-0001',
  }));
  const kept = then === 'roll back a savepoint' ? publishable.slice(0, 1) : publishable;
  await em
    .fork()
    .transactional(async (outer) => {
      await outbox.publishAll(kept, { em: outer });
      if (then === 'roll back a savepoint') {
        await outer
          .transactional(async (inner) => {
            await outbox.publishAll(publishable.slice(1), { em: inner });
            throw new RolledBack();
          })
          .catch(ignoreRollBack);
      }
      if (then === 'roll back') {
        throw new RolledBack();
      }
    })
    .catch(ignoreRollBack);
  if (then !== 'roll back') {
    kept.forEach((event) => model.commit(event, event.type === ORDERED_TYPE));
  }
}

function ignoreRollBack(error: unknown): void {
  if (!(error instanceof RolledBack)) {
    throw error;
  }
}
