import fc from 'fast-check';
import type { Model } from './model.js';
import { pick, Step } from './step.js';
import type { World } from './world.js';

/** Selects an item when the step runs. */
const nth = fc.nat(999);

const livePlaces = ({ workers }: Readonly<Model>) => [...workers.keys()].filter((place) => !workers[place]!.isFrozen);
const hasLive = (model: Readonly<Model>) => livePlaces(model).length > 0;

/** A step of one of the workers that are not frozen. */
const byAny = (name: string, act: (world: World, place: number) => Promise<unknown>) =>
  nth.map((n) => new Step(`worker ${n} ${name}`, (world) => act(world, pick(livePlaces(world.model), n)), hasLive));

/** Live workers with such a delivery, once per delivery. */
function placesWith(model: Readonly<Model>, what: 'waiting' | 'sent'): number[] {
  return livePlaces(model).flatMap((place) => Array.from({ length: model.workers[place]![what] }, () => place));
}

export const route = fc
  .record({ takes: fc.boolean(), promptly: fc.boolean() })
  .chain((how) => byAny(`routes ${JSON.stringify(how)}`, ({ workers }, place) => workers[place]!.route(how)));

export const claim = fc
  .integer({ min: 1, max: 8 })
  .chain((most) => byAny(`claims up to ${most}`, ({ workers }, place) => workers[place]!.claim(most)));

export const claimSuspects = byAny('claims suspects', ({ workers }, place) => workers[place]!.claimSuspects());

export const send = nth.map(
  (n) =>
    new Step(
      `delivery ${n} is sent`,
      ({ model, workers }) => workers[pick(placesWith(model, 'waiting'), n)]!.send(n),
      (model) => placesWith(model, 'waiting').length > 0,
    ),
);

export const answer = fc.tuple(nth, fc.constantFrom(204, 204, 500, 500, 400)).map(
  ([n, statusCode]) =>
    new Step(
      `delivery ${n} is answered ${statusCode}`,
      ({ model, workers }) => workers[pick(placesWith(model, 'sent'), n)]!.answer(n, statusCode),
      (model) => placesWith(model, 'sent').length > 0,
    ),
);

export const rescue = byAny('rescues', (world, place) => world.rescue(place));
export const beat = byAny('beats', (world, place) => world.beat(place));
export const crash = byAny('crashes', (world, place) => world.startWorker(place));
export const shutDown = byAny('shuts down', (world, place) => world.stopWorker(place));
export const freeze = byAny('freezes', (world, place) => world.freeze(place, true));
export const expire = byAny('has leases run out', (world, place) => world.expireLeases(place));

export const crashWhileRouting = fc
  .constantFrom('events-claimed' as const, 'deliveries-inserted' as const)
  .chain((stage) =>
    byAny(`crashes while it routes: ${stage}`, async (world, place) => {
      await world.workers[place]!.routeAndDie(stage);
      await world.startWorker(place);
    }),
  );

/** The most frequent cause of two workers that hold the same delivery. */
export const takeOver = fc.tuple(nth, nth).map(
  ([n, m]) =>
    new Step(
      `worker ${n} freezes, 12 hours pass, worker ${m} rescues and claims`,
      async (world) => {
        await world.freeze(pick(livePlaces(world.model), n), true);
        await world.passTime(12);
        await world.compare();
        const heir = pick(livePlaces(world.model), m);
        await world.rescue(heir);
        await world.workers[heir]!.claim(8);
      },
      (model) => livePlaces(model).length > 1,
    ),
);

/** The worker then holds a delivery twice, and only the second lease is valid. */
export const claimAnew = byAny('has leases run out and claims them anew', async (world, place) => {
  await world.expireLeases(place);
  await world.workers[place]!.claim(8);
});

export const thaw = nth.map((n) => {
  const frozen = ({ workers }: Readonly<Model>) => [...workers.keys()].filter((place) => workers[place]!.isFrozen);
  return new Step(
    `worker ${n} thaws`,
    (world) => world.freeze(pick(frozen(world.model), n), false),
    (model) => frozen(model).length > 0,
  );
});
