import { judgeOrder, type StreamOrder } from './stream-order.js';

type Numbers = [sequence: number | null, previous: number | null, last: number | null, isPreviousProcessed: boolean];

describe('judgeOrder', () => {
  it.each<[string, Numbers, StreamOrder]>([
    ['no number', [null, null, null, false], { kind: 'unsequenced' }],
    ['the first of all', [1, null, null, false], { kind: 'first' }],
    ['the first that passes a filter', [7, null, null, false], { kind: 'first' }],
    ['an inbox that begins in the middle', [7, 5, null, false], { kind: 'joined', previous: 5 }],
    ['the next', [6, 5, 5, true], { kind: 'in-order' }],
    ['the next that passes a filter', [9, 5, 5, true], { kind: 'in-order' }],
    ['one missing', [7, 6, 5, false], { kind: 'gap', after: 5, upTo: 6 }],
    ['one missing behind a filter', [12, 9, 5, false], { kind: 'gap', after: 5, upTo: 9 }],
    ['one that comes after its successors', [4, 3, 5, true], { kind: 'late', last: 5 }],
    ['another event under a number that is taken', [5, 4, 5, true], { kind: 'late', last: 5 }],
    ['the next without its predecessor named', [6, null, 5, false], { kind: 'in-order' }],
    ['a jump without its predecessor named', [8, null, 5, false], { kind: 'unproven', last: 5 }],
    ['order after a gap that was told', [8, 7, 7, true], { kind: 'in-order' }],
  ])('[ADR-11] %s', (_what, [sequence, previousSequence, last, isPreviousProcessed], order) => {
    expect(judgeOrder({ sequence, previousSequence }, { last, isPreviousProcessed })).toEqual(order);
  });
});
