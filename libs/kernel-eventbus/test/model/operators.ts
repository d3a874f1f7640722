import { AdminPrincipal, EndpointEditor, LaneSkipper, selectLanes } from '@kernel/eventbus-admin/testing';
import { ReplayService } from '../../src/replay/replay.service.js';
import { WebhookEndpointEntity } from '../../src/endpoints/webhook-endpoint.entity.js';
import type { EndpointChange } from '../../src/runtime/wake-up.js';
import type { ModelDelivery, ModelEndpoint } from './model.js';
import type { World } from './world.js';

const OPERATOR = new AdminPrincipal({ actor: 'operator:ada', role: 'operator', tenantId: null });

/** `isHeard`: by the workers that are not frozen. */
export async function changeEndpoint(
  world: World,
  endpoint: ModelEndpoint,
  changes: { isEnabled?: boolean; url?: string },
  isHeard: boolean,
): Promise<void> {
  await world.engine.get(EndpointEditor).update(OPERATOR, await rowOf(world, endpoint), changes);
  endpoint.isEnabled = changes.isEnabled ?? endpoint.isEnabled;
  if (isHeard) {
    // Without a state: the time that requests to a disabled endpoint have left is real time.
    await tellWorkers(world, { endpointId: endpoint.endpointId });
  }
}

export async function deleteEndpoint(world: World, endpoint: ModelEndpoint, isHeard: boolean): Promise<void> {
  const { model } = world;
  await world.engine.get(EndpointEditor).remove(OPERATOR, await rowOf(world, endpoint));
  Object.assign(endpoint, { isDeleted: true, isEnabled: false });
  for (const delivery of model.deliveries.values()) {
    if (delivery.endpoint === endpoint && (delivery.status === 'PENDING' || delivery.status === 'FAILED')) {
      delivery.status = 'DLQ';
      Object.assign(model.holdOf(delivery.deliveryId) ?? {}, { lostBy: 'deletion' });
    }
  }
  if (isHeard) {
    await tellWorkers(world, { endpointId: endpoint.endpointId, state: 'deleted' });
  }
}

export async function replay(world: World, delivery: ModelDelivery): Promise<void> {
  const { deliveryId } = delivery;
  await world.engine.get(ReplayService).replay({ deliveryId, actor: OPERATOR.actor, reason: 'repaired' });
  Object.assign(delivery, { status: 'PENDING', attempts: 0, replays: delivery.replays + 1 });
}

/** Lets all blocked lanes go on behind their dead letters. */
export async function skipDeadLetters(world: World): Promise<void> {
  for (const tenantId of world.tenantIds) {
    for (const lane of await selectLanes(world.engine.database, { tenantId, isBlocked: true, limit: 100 })) {
      await world.engine.get(LaneSkipper).skip(OPERATOR, lane, 'the receiver has it by now');
    }
  }
}

async function tellWorkers({ model, workers, livePlaces }: World, change: EndpointChange): Promise<void> {
  for (const place of livePlaces) {
    const isOutdated = model.holds.filter(
      (hold) => hold.workerId === model.workers[place]!.id && hold.delivery.endpoint.endpointId === change.endpointId,
    );
    isOutdated.filter(({ isSent }) => !isSent).forEach((hold) => (hold.isOutdated = true));
    await workers[place]!.hear(change);
  }
}

function rowOf({ engine }: World, { endpointId }: ModelEndpoint) {
  return engine.em.fork().findOneOrFail(WebhookEndpointEntity, { endpointId });
}
