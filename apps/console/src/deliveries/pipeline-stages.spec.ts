import { pipelineStages } from './pipeline-stages.ts';

const EVENT = { createdAt: '2026-01-01T00:00:00.000Z' };
const NEW = {
  status: 'PENDING' as const,
  attempts: 0,
  isParked: false,
  nextAttemptAt: '2026-01-01T00:00:01.000Z',
  dispatchedAt: '2026-01-01T00:00:01.000Z',
  settledAt: null,
  errorClass: null,
  deadLetterReason: null,
};

describe('pipelineStages', () => {
  it.each([
    [{}, ['done', 'done', 'here', 'ahead'], 'waits for a worker'],
    [{ isParked: true }, ['done', 'done', 'here', 'ahead'], 'parked until the endpoint is enabled'],
    [
      { status: 'FAILED' as const, attempts: 1 },
      ['done', 'done', 'here', 'ahead'],
      '1 attempt failed, the next is planned',
    ],
    [{ status: 'DELIVERED' as const, attempts: 2 }, ['done', 'done', 'done', 'done'], '2 attempts'],
    [
      { status: 'DLQ' as const, attempts: 5, errorClass: 'http-5xx' },
      ['done', 'done', 'failed', 'failed'],
      '5 attempts, http-5xx',
    ],
  ])('%j', (changes, states, note) => {
    const stages = pipelineStages({ ...NEW, ...changes }, EVENT);
    expect(stages.map(({ state }) => state)).toEqual(states);
    expect(stages[2]!.note).toBe(note);
  });

  it('an event past its retention has no time', () => {
    expect(pipelineStages(NEW, null)[0]).toMatchObject({ name: 'Published', state: 'done', at: null });
  });

  it('a dead letter says why', () => {
    const [, , , last] = pipelineStages({ ...NEW, status: 'DLQ', deadLetterReason: 'attempts-exhausted' }, EVENT);
    expect(last).toMatchObject({ name: 'Dead letter', note: 'attempts-exhausted' });
  });
});
