import fc from 'fast-check';
import type { Model, ModelDelivery, ModelEndpoint } from './model.js';
import { changeEndpoint, deleteEndpoint, replay, skipDeadLetters } from './operators.js';
import { publish, type Publication } from './publish.js';
import { pick, Step } from './step.js';
import { TENANT_COUNT } from './world.js';

const nth = fc.nat(999);
const hours = fc.constantFrom(1, 4, 8, 12, 18);

const publication: fc.Arbitrary<Publication> = fc.record({
  events: fc.array(fc.record({ tenant: fc.nat(TENANT_COUNT - 1), stream: fc.nat(1), isOrdered: fc.boolean() }), {
    minLength: 1,
    maxLength: 4,
  }),
  then: fc.constantFrom('commit', 'commit', 'commit', 'roll back', 'roll back a savepoint'),
});

export const publishSome = publication.map(
  (one) => new Step(`publish ${JSON.stringify(one)}`, (world) => publish(world, one)),
);

export const passTime = hours.map((count) => new Step(`${count} hours pass`, (world) => world.passTime(count)));

export const loseDatabase = hours.map(
  (count) =>
    new Step(`the database is away for ${count} hours`, ({ model, engine }) =>
      model.time.pass(engine.kernel.database, count),
    ),
);

const existing = ({ endpoints }: Readonly<Model>): ModelEndpoint[] => endpoints.filter(({ isDeleted }) => !isDeleted);

export const change = fc.tuple(nth, fc.constantFrom('disabled', 'enabled', 'moved'), fc.boolean()).map(
  ([n, what, isHeard]) =>
    new Step(`endpoint ${n} is ${what}${isHeard ? '' : ', unheard'}`, (world) => {
      const changes = what === 'moved' ? { url: `http://127.0.0.1:9/${n}` } : { isEnabled: what === 'enabled' };
      return changeEndpoint(world, pick(existing(world.model), n), changes, isHeard);
    }),
);

/** Two endpoints remain, so the other steps have work. */
export const remove = fc.tuple(nth, fc.boolean()).map(
  ([n, isHeard]) =>
    new Step(
      `endpoint ${n} is deleted${isHeard ? '' : ', unheard'}`,
      (world) => deleteEndpoint(world, pick(existing(world.model), n), isHeard),
      (model) => existing(model).length > 2,
    ),
);

const replayable = ({ deliveries }: Readonly<Model>): ModelDelivery[] =>
  [...deliveries.values()].filter(
    ({ status, endpoint }) => (status === 'DLQ' || status === 'DELIVERED') && !endpoint.isDeleted,
  );

export const replaySome = nth.map(
  (n) =>
    new Step(
      `settled delivery ${n} is replayed`,
      (world) => replay(world, pick(replayable(world.model), n)),
      (model) => replayable(model).length > 0,
    ),
);

export const skip = fc.constant(new Step('blocked lanes are skipped', skipDeadLetters));
