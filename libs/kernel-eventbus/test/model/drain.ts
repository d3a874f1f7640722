import assert from 'node:assert/strict';
import { changeEndpoint, skipDeadLetters } from './operators.js';
import { countDelivered } from './snapshot.js';
import type { World } from './world.js';

/** More rounds than any schedule can need. */
const MAX_ROUNDS = 100;

/** All workers crash and a new one finishes the rest. Then every event is finished once at every endpoint. */
export async function drain(world: World): Promise<void> {
  const { model } = world;
  for (const endpoint of model.endpoints.filter(({ isEnabled, isDeleted }) => !isEnabled && !isDeleted)) {
    await changeEndpoint(world, endpoint, { isEnabled: true }, false);
  }
  world.workers.length = 0;
  model.workers.length = 0;
  await world.startWorker(0);
  for (let rounds = 0; !isDone(world); rounds++) {
    assert(rounds < MAX_ROUNDS, `something is left for ever: ${JSON.stringify(left(world))}`);
    await doRound(world);
  }
  const delivered = await countDelivered(world.engine.kernel.database, world.tenantIds);
  for (const { deliveryId, timesDelivered } of model.deliveries.values()) {
    assert.equal(delivered.get(deliveryId) ?? 0, timesDelivered, `ledger entries of delivery ${deliveryId}`);
  }
}

async function doRound(world: World): Promise<void> {
  const worker = world.workers[0]!;
  const steps = [
    () => world.passTime(2),
    () => world.rescue(0),
    () => worker.route({ takes: true, promptly: true }),
    () => worker.claim(8),
    () => worker.claimSuspects(),
    () => skipDeadLetters(world),
  ];
  for (const step of steps) {
    await step();
    await world.compare();
    while (worker.waiting.length + worker.sent.length > 0) {
      await (worker.sent.length > 0 ? worker.answer(0, 204) : worker.send(0));
      await world.compare();
    }
  }
}

function isDone(world: World): boolean {
  const { events, deliveries } = left(world);
  return events.length + deliveries.length === 0;
}

function left({ model }: World) {
  return {
    events: [...model.events.values()].filter(({ isRouted }) => !isRouted),
    deliveries: [...model.deliveries.values()]
      .filter(({ status }) => status === 'PENDING' || status === 'FAILED')
      .map(({ deliveryId, status, endpoint }) => ({ deliveryId, status, endpoint })),
  };
}
