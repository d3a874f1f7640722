import { BEGINNING } from './verified-place.js';
import { isWholeDue, stateMessage, type RecalledState, type VerificationState } from './verification-state.js';

const at = (hour: number) => `2026-11-16T${String(hour).padStart(2, '0')}:00:00.000000Z`;
const state = (changes: Partial<VerificationState> = {}): VerificationState => ({
  ...{ place: BEGINNING, beganAt: at(1), endedAt: at(2), finding: null },
  ...changes,
});

describe('isWholeDue', () => {
  it.each<[string, VerificationState, number, boolean]>([
    ['the period is over', state(), 11, true],
    ['the period is not over', state(), 10, false],
    ['the pass has not reached the end yet', state({ endedAt: at(0) }), 23, false],
    ['no pass ever has', state({ endedAt: null }), 23, false],
    [
      'something is broken',
      state({ finding: { fault: 'altered', batchNumber: 1, entryId: null, seenAt: at(2), isOrdered: false } }),
      23,
      false,
    ],
  ])('when %s', (_when, before, hour, isDue) => {
    expect(isWholeDue(before, at(hour), 10)).toBe(isDue);
  });
});

describe('stateMessage', () => {
  const finding = { fault: 'altered' as const, batchNumber: 1, entryId: null, seenAt: at(2), isOrdered: false };
  const recalled = (changes: Partial<RecalledState> = {}) => ({ ...state(), round: 1, ...changes });

  it.each<Partial<RecalledState>>([
    { round: 2 },
    { finding },
    { finding: { ...finding, isOrdered: true } },
    { beganAt: at(3) },
    { endedAt: at(3) },
    { endedAt: null },
    { place: { ...BEGINNING, batchNumber: 1 } },
    { place: { ...BEGINNING, toTime: at(1) } },
    { place: { ...BEGINNING, seal: Buffer.from('seal') } },
  ])('is another one with %j', (changes) => {
    expect(stateMessage(recalled(changes))).not.toBe(stateMessage(recalled()));
  });
});
