import { lowestIdAt, partitionName, timeMsOf } from '../envelope/partition-range.js';
import { DAY_MS, HOUR_MS, missingPartitions, planExpiry } from './plan-partitions.js';

const midnight = Date.parse('2026-11-16T00:00:00Z');
const noon = midnight + 12 * HOUR_MS;
const day = (n: number) => ({ fromMs: midnight + n * DAY_MS, toMs: midnight + (n + 1) * DAY_MS });
const named = (n: number) => ({ ...day(n), name: partitionName(day(n)) });

describe('missing partitions', () => {
  const daily = { intervalHours: 24, aheadCount: 3 };

  it('are the current one and those ahead, from midnight to midnight UTC', () => {
    expect(missingPartitions(noon, [], daily)).toEqual([day(0), day(1), day(2), day(3)]);
    expect(missingPartitions(midnight, [], daily)).toEqual([day(0), day(1), day(2), day(3)]);
    expect(missingPartitions(midnight - 1, [], daily)[0]).toEqual(day(-1));
  });

  it('are only those that do not exist', () => {
    expect(missingPartitions(noon, [day(-1), day(0), day(1), day(2)], daily)).toEqual([day(3)]);
    expect(missingPartitions(noon, [day(0), day(1), day(2), day(3)], daily)).toEqual([]);
  });

  it('leave room for ranges of another width', () => {
    const tenToTwo = { fromMs: midnight + 10 * HOUR_MS, toMs: midnight + 14 * HOUR_MS };
    expect(missingPartitions(noon, [tenToTwo], { intervalHours: 24, aheadCount: 1 })).toEqual([
      { fromMs: midnight, toMs: tenToTwo.fromMs },
      { fromMs: tenToTwo.toMs, toMs: day(0).toMs },
      day(1),
    ]);
    expect(missingPartitions(noon, [day(0)], { intervalHours: 6, aheadCount: 2 })).toEqual([
      { fromMs: day(1).fromMs, toMs: day(1).fromMs + 6 * HOUR_MS },
    ]);
  });

  it('are named by the UTC hour in which they begin', () => {
    expect(partitionName(day(0))).toBe('kernel_outbox_event_p20261116_00');
    expect(partitionName({ fromMs: midnight + 23 * HOUR_MS, toMs: day(0).toMs })).toBe(
      'kernel_outbox_event_p20261116_23',
    );
  });

  it('are bounded by ids whose first 48 bits are the time', () => {
    expect(lowestIdAt(0x0123_4567_89ab)).toBe('01234567-89ab-0000-0000-000000000000');
    expect(timeMsOf(lowestIdAt(noon))).toBe(noon);
  });
});

describe('expiry', () => {
  const retention = { publishedDays: 30, deliveryDays: 30, deadLetterDays: 90, processedDays: 95 };
  const partitions = [named(-33), named(-32), named(-31), named(-30), named(0)];

  it('takes the partitions of which everything is old enough, an hour later', () => {
    const at = (nowMs: number) => planExpiry(nowMs, partitions, retention).partitions.map(({ name }) => name);
    expect(at(midnight)).toEqual([named(-33).name, named(-32).name]);
    expect(at(midnight + HOUR_MS - 1)).toEqual([named(-33).name, named(-32).name]);
    expect(at(midnight + HOUR_MS)).toEqual([named(-33).name, named(-32).name, named(-31).name]);
  });

  it('looks at deliveries up to the oldest partition that stays, and never at those younger than their retention', () => {
    expect(planExpiry(noon, partitions, retention).deliveriesBeforeMs).toBe(named(-30).fromMs);
    expect(planExpiry(noon, [], retention).deliveriesBeforeMs).toBe(noon - 30 * DAY_MS);
    expect(planExpiry(noon, partitions, { ...retention, deliveryDays: 60 }).deliveriesBeforeMs).toBe(
      noon - 60 * DAY_MS,
    );
  });

  it('looks at what handlers have processed up to its own retention', () => {
    expect(planExpiry(noon, partitions, retention).processedBeforeMs).toBe(noon - 95 * DAY_MS);
  });
});
