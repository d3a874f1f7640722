import type { HandedDelivery } from '@kernel/eventbus';
import { jobIdOf } from './job.js';

const delivery = {
  deliveryId: '018f2a3c-0000-7000-8000-000000000001',
  replayCount: 0,
  attempt: 1,
  leaseEpoch: 1,
} as HandedDelivery;
const request = { url: 'https://receiver.example/hook', body: '{"total":5}' };

describe('the name of a job', () => {
  it('[KFM-6] is the same for whoever hands the attempt over, and fits into a subject', () => {
    const name = jobIdOf(delivery, request);
    expect(jobIdOf({ ...delivery, leaseEpoch: 2 }, { ...request })).toBe(name);
    expect(name).toMatch(/^[0-9a-f-]+$/);
  });

  it.each([
    ['the next attempt', { attempt: 2 }, {}],
    ['a replay, whose attempts count anew', { replayCount: 1 }, {}],
    ['a body that was redacted otherwise', {}, { body: '{}' }],
    ['an endpoint that moved', {}, { url: 'https://receiver.example/other' }],
  ])('is another for %s', (_what, changedDelivery, changedRequest) => {
    const other = jobIdOf({ ...delivery, ...changedDelivery }, { ...request, ...changedRequest });
    expect(other).not.toBe(jobIdOf(delivery, request));
  });
});
