import type { KernelApp } from '@kernel/test-support/kernel-app';
import { claimDeliveries } from '../../src/worker/claim/claim-due.sql.js';
import { claimSuspects, suspectsWait } from '../../src/deliveries/suspects.sql.js';
import type { Sendable } from '../../src/deliveries/sendable.js';
import { rescueSteps, startForRescue } from './rescue-steps.js';

describe('workers that fall silent', () => {
  let kernel: KernelApp;
  beforeEach(async () => {
    kernel = await startForRescue();
  });
  afterEach(() => kernel.close());
  const { db, claim, addEndpoint, publish, suspectGroup, dies, soloCrashesOf, comeThrough } = rescueSteps(() => kernel);

  it('leave suspects to workers that can send them', async () => {
    await addEndpoint();
    await publish(2);
    await dies('a', await claimDeliveries(db(), claim('a')));
    const unable = { endpointIds: [], dispatchers: ['queue'], defaultDispatcher: 'http' };
    expect(await suspectsWait(db(), { sendable: unable })).toBe(false);
    const groupFor = (sendable: Sendable) =>
      kernel.em.fork().transactional((em) => claimSuspects(em.getKysely<unknown>(), { ...claim('b'), sendable }));
    expect(await groupFor(unable)).toEqual({ deliveries: [], lanes: [] });
    const { deliveries } = await groupFor({ ...unable, dispatchers: ['queue', 'http'] });
    expect(deliveries).toHaveLength(2);
  });

  it('leave suspects that one worker at a time tries, in groups that halve with every crash', async () => {
    await addEndpoint();
    await publish(32);
    await dies('a', await claimDeliveries(db(), claim('a')));
    const [one, other] = await Promise.all([suspectGroup('b'), suspectGroup('c')]);
    expect([one.deliveries.length, other.deliveries.length].sort()).toEqual([0, 16]);
    const first = [...one.deliveries, ...other.deliveries];
    expect((await suspectGroup('c')).deliveries).toEqual([]);
    await dies(one.deliveries.length > 0 ? 'b' : 'c', first);

    const sizes: number[] = [];
    const { deliveries: untried } = await suspectGroup('d');
    expect(untried).toHaveLength(16);
    await comeThrough(untried);
    for (let group = await suspectGroup('e'); group.deliveries.length > 0; group = await suspectGroup('e')) {
      sizes.push(group.deliveries.length);
      expect(first.map(({ deliveryId }) => deliveryId)).toEqual(
        expect.arrayContaining(group.deliveries.map(({ deliveryId }) => deliveryId)),
      );
      await comeThrough(group.deliveries);
    }
    expect(sizes).toEqual([8, 8]);
  });

  it('find a killer among 16 after four crashes of its groups and three of its own', async () => {
    await addEndpoint();
    await publish(16);
    const held = await claimDeliveries(db(), claim('w0'));
    const killer = held[5]!;
    await dies('w0', held);
    let deaths = 1;
    while ((await soloCrashesOf(killer)) < 3) {
      const { deliveries } = await suspectGroup(`w${deaths}`);
      if (deliveries.some(({ deliveryId }) => deliveryId === killer.deliveryId)) {
        await dies(`w${deaths++}`, deliveries);
      } else {
        await comeThrough(deliveries);
      }
    }
    expect(deaths).toBe(1 + 4 + 3);
    expect(await kernel.database.query('select lonely_deaths from kernel_webhook_delivery where is_suspect')).toEqual([
      { lonely_deaths: 3 },
    ]);
  });

  it('count a crash for a suspect only if no other suspect was in flight, and only in a row', async () => {
    await addEndpoint();
    await publish(3);
    const [innocent, killer, another] = await claimDeliveries(db(), claim('a'));
    await kernel.database.query(`update kernel_webhook_delivery set lease_until = null, leased_by = null`);
    const isolate = (workerId: string, ...deliveries: { deliveryId: string }[]) =>
      kernel.database.query(
        `update kernel_webhook_delivery set leased_by = $1, lease_until = now() + interval '1 hour' where delivery_id = any($2)`,
        [workerId, deliveries.map(({ deliveryId }) => deliveryId)],
      );
    await isolate('b', innocent!);
    await dies('b', [innocent!]);
    expect(await soloCrashesOf(innocent!)).toBe(0);

    // Normal deliveries in flight beside a suspect do not count: its crash is solo, theirs is not.
    await isolate('c', innocent!, killer!);
    await dies('c', [innocent!, killer!]);
    expect(await soloCrashesOf(innocent!)).toBe(1);
    expect(await soloCrashesOf(killer!)).toBe(0);

    // A solo crash of another delivery leaves its count unchanged: there may be two killers.
    await isolate('d', killer!, another!);
    await dies('d', [killer!, another!]);
    expect(await soloCrashesOf(killer!)).toBe(1);
    expect(await soloCrashesOf(innocent!)).toBe(1);

    // A crash of several other deliveries resets its count.
    await isolate('e', killer!, another!);
    await dies('e', [killer!, another!]);
    expect(await soloCrashesOf(killer!)).toBe(1);
    expect(await soloCrashesOf(innocent!)).toBe(0);
  });

  it('find two killers, although each interrupts the crashes of the other', async () => {
    await addEndpoint();
    await publish(8);
    const held = await claimDeliveries(db(), claim('w0'));
    const killers = held.slice(2, 4);
    const isKiller = ({ deliveryId }: { deliveryId: string }) =>
      killers.some((killer) => killer.deliveryId === deliveryId);
    await dies('w0', held);
    let deaths = 1;
    const found = async () => (await Promise.all(killers.map(soloCrashesOf))).every((crashes) => crashes >= 3);
    while (!(await found()) && deaths < 30) {
      const { deliveries } = await suspectGroup(`w${deaths}`);
      if (deliveries.some(isKiller)) {
        await dies(`w${deaths++}`, deliveries);
      } else {
        await comeThrough(deliveries);
      }
    }
    expect(await found()).toBe(true);
  });
});
