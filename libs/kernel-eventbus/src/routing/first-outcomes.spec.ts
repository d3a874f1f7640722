import type { ClaimedDelivery } from '../delivery/claimed-delivery.js';
import type { Settlement } from '../delivery/settlement.js';
import { FirstOutcomes } from './first-outcomes.js';

const deliveries = ['a', 'b', 'c'].map((deliveryId) => ({ deliveryId }) as ClaimedDelivery);
const settlementOf = (delivery: ClaimedDelivery) =>
  ({ delivery, status: 'DELIVERED', nextDelayMs: null, statusCode: 204, error: null, errorClass: null }) as Settlement;
const settled = (place: number) => settlementOf(deliveries[place]!);
const idsOf = (settlements: readonly Settlement[]) => settlements.map(({ delivery }) => delivery.deliveryId);

describe('FirstOutcomes', () => {
  it('are gathered when all of them are there', async () => {
    const outcomes = new FirstOutcomes(deliveries);
    const taken = [2, 0, 1].map((place) => outcomes.take(settled(place)));
    expect(idsOf(await outcomes.gather())).toEqual(['c', 'a', 'b']);
    outcomes.end(new Set(['a', 'b', 'c']));
    expect(await Promise.all(taken)).toEqual([true, true, true]);
  });

  it('are gathered at once where nothing is under way, or all of it is given up', async () => {
    expect(await new FirstOutcomes([]).gather()).toEqual([]);
    const outcomes = new FirstOutcomes(deliveries);
    const givenUp = deliveries.map((delivery) => outcomes.giveUp(delivery));
    expect(await outcomes.gather()).toEqual([]);
    outcomes.end(new Set());
    await Promise.all(givenUp);
  });

  it('do not wait for what is slow once nothing more comes, and what comes then is too late', async () => {
    const outcomes = new FirstOutcomes(deliveries);
    const inTime = outcomes.take(settled(0));
    expect(idsOf(await outcomes.gather())).toEqual(['a']);
    const late = outcomes.take(settled(1));
    // It is written, but not with this outcome.
    outcomes.end(new Set(['a', 'b', 'c']));
    expect([await inTime, await late]).toEqual([true, false]);
  });

  it('end after a while though something keeps coming', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => ({ deliveryId: `${n}` }) as ClaimedDelivery);
    const outcomes = new FirstOutcomes(many);
    let place = 0;
    const trickle = setInterval(() => void outcomes.take(settlementOf(many[place++]!)), 20);
    const gathered = await outcomes.gather();
    clearInterval(trickle);
    expect(gathered.length).toBeGreaterThan(0);
    expect(gathered.length).toBeLessThan(many.length);
    outcomes.end(new Set());
  });

  it.each([{ error: 'a\0b' }, { errorClass: '\ud800' }, { nextDelayMs: 0.5 }, { nextDelayMs: NaN }])(
    'do without one that the database would refuse: %p',
    async (unstorable) => {
      const outcomes = new FirstOutcomes(deliveries);
      const taken = [{ ...settled(0), ...unstorable }, settled(1), settled(2)].map((one) => outcomes.take(one));
      expect(idsOf(await outcomes.gather())).toEqual(['b', 'c']);
      outcomes.end(new Set(['a', 'b', 'c']));
      expect(await Promise.all(taken)).toEqual([false, true, true]);
    },
  );

  it('were recorded by nobody where nothing could be written', async () => {
    const outcomes = new FirstOutcomes(deliveries);
    const taken = outcomes.take(settled(0));
    outcomes.end(new Set());
    expect(await taken).toBe(false);
  });
});
