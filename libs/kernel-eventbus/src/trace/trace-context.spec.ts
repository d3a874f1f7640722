import { createHash } from 'node:crypto';
import {
  currentTraceId,
  currentTraceParent,
  runInTrace,
  runWithTrace,
  traceFromHeaders,
  traceparentOf,
  type TraceHeaders,
} from './trace-context.js';

const w3c = '4bf92f3577b34da6a3ce929d0e0e4736';
const span = '00f067aa0ba902b7';
const traceIdFromHeaders = (headers: TraceHeaders) => traceFromHeaders(headers).traceId;

describe('trace ids', () => {
  it('takes x-trace-id first, then the trace id of traceparent', () => {
    const traceparent = `00-${w3c}-00f067aa0ba902b7-01`;
    expect(traceIdFromHeaders({ 'x-trace-id': 'order-42.a_b', traceparent })).toBe('order-42.a_b');
    expect(traceIdFromHeaders({ traceparent })).toBe(w3c);
  });

  it.each([
    { 'x-trace-id': 'short' },
    { 'x-trace-id': 'x'.repeat(129) },
    { 'x-trace-id': 'with space in it' },
    { 'x-trace-id': 'line\r\nbreak-here' },
    { traceparent: 'nonsense' },
    { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` },
    {},
  ])('replaces what is missing or misshapen: %j', (headers) => {
    expect(traceIdFromHeaders(headers)).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['00', `00-${w3c}-${span}-00`, '00'],
    ['01', `00-${w3c}-${span}-01`, '01'],
    ['03, of which only sampled is known', `00-${w3c}-${span}-03`, '01'],
    ['01 of a later version', `cc-${w3c}-${span}-01-what-the-future-brings`, '01'],
    ['00 of a later version without more fields', `01-${w3c}-${span}-00`, '00'],
  ])('keeps the flag %s', (_what, traceparent, flag) => {
    const trace = traceFromHeaders({ traceparent, tracestate: 'a=1' });
    expect(trace).toEqual({ traceId: w3c, traceParent: `00-${w3c}-${span}-${flag}`, traceState: 'a=1' });
    expect(traceparentOf(trace.traceId, trace.traceParent)).toMatch(new RegExp(`^00-${w3c}-[0-9a-f]{16}-${flag}$`));
    const own = traceFromHeaders({ 'x-trace-id': 'order-42', traceparent });
    expect(traceparentOf(own.traceId, own.traceParent)).toMatch(new RegExp(`-${flag}$`));
  });

  it.each([
    ['the version ff', `ff-${w3c}-${span}-01`],
    ['no version', `${w3c}-${span}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${span}-01`],
    ['a parent id of zeros', `00-${w3c}-${'0'.repeat(16)}-01`],
    ['more fields in version 00', `00-${w3c}-${span}-01-more`],
    ['a later version with text at its end', `cc-${w3c}-${span}-01.more`],
    ['upper case', `00-${w3c.toUpperCase()}-${span}-01`],
    ['two values', `00-${w3c}-${span}-01, 00-${w3c}-${span}-01`],
  ])('takes a traceparent with %s for none, and its tracestate too', (_what, traceparent) => {
    const trace = traceFromHeaders({ traceparent, tracestate: 'a=1' });
    expect(trace).toEqual({ traceId: expect.stringMatching(/^[0-9a-f]{32}$/), traceParent: null, traceState: null });
    expect(trace.traceId).not.toBe(w3c);
  });

  it('keeps a W3C trace id in the outgoing traceparent and derives a stable one from any other', () => {
    expect(traceparentOf(w3c)).toMatch(new RegExp(`^00-${w3c}-[0-9a-f]{16}-01$`));
    const derived = createHash('sha256').update('order-42').digest('hex').slice(0, 32);
    expect(traceparentOf('order-42')).toMatch(new RegExp(`^00-${derived}-[0-9a-f]{16}-01$`));
  });

  it('keeps the trace context of a trace that is entered again, and of no other', () => {
    const traceParent = `00-${w3c}-${span}-00`;
    runInTrace({ traceId: w3c, traceParent, traceState: null }, () => {
      runWithTrace(w3c, () => expect(currentTraceParent()).toBe(traceParent));
      runWithTrace('other-trace', () => expect(currentTraceParent()).toBeNull());
    });
  });

  it('is seen by everything that runs within, and by nothing else', async () => {
    await runWithTrace('outer-trace', async () => {
      await Promise.resolve();
      expect(currentTraceId()).toBe('outer-trace');
      runWithTrace('inner-trace', () => expect(currentTraceId()).toBe('inner-trace'));
    });
    expect(currentTraceId()).toBeUndefined();
  });
});
