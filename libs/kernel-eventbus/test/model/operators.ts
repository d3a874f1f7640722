import { DeliveryReplay } from '../../src/replay/delivery-replay.js';
import type { EndpointChange } from '../../src/runtime/wake-up.js';
import type { ModelDelivery, ModelEndpoint } from './model.js';
import type { World } from './world.js';

/** `isHeard`: the workers that are not frozen are notified. */
export async function changeEndpoint(
  world: World,
  endpoint: ModelEndpoint,
  changes: { isEnabled?: boolean; url?: string },
  isHeard: boolean,
): Promise<void> {
  await world.engine.operator.patch(`/endpoints/${endpoint.endpointId}`, changes).expect(200);
  endpoint.isEnabled = changes.isEnabled ?? endpoint.isEnabled;
  if (isHeard) {
    // Without the state, because the grace period of requests to a disabled endpoint is real time.
    await tellWorkers(world, { endpointId: endpoint.endpointId });
  }
}

export async function deleteEndpoint(world: World, endpoint: ModelEndpoint, isHeard: boolean): Promise<void> {
  const { model } = world;
  await world.engine.operator.delete(`/endpoints/${endpoint.endpointId}`).expect(204);
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
  await world.engine.get(DeliveryReplay).replay({ deliveryId, actor: 'operator:ada', reason: 'repaired' });
  Object.assign(delivery, { status: 'PENDING', attempts: 0, replays: delivery.replays + 1 });
}

/** Skips the dead letters of all blocked lanes. */
export async function skipDeadLetters(world: World): Promise<void> {
  const { operator } = world.engine;
  for (const tenantId of world.tenantIds) {
    const { body } = await operator.get('/lanes', { tenantId, blocked: 'true', limit: 100 }).expect(200);
    for (const { laneId } of body.items as { laneId: string }[]) {
      await operator.post(`/lanes/${laneId}/skip`, { reason: 'the receiver has it by now' }).expect(202);
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
