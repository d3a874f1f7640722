import { createHash } from 'node:crypto';
import { currentTraceId, runWithTrace, traceIdFromHeaders, traceparentOf } from './trace-context.js';

const w3c = '4bf92f3577b34da6a3ce929d0e0e4736';

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

  it('keeps a W3C trace id in the outgoing traceparent and derives a stable one from any other', () => {
    expect(traceparentOf(w3c)).toMatch(new RegExp(`^00-${w3c}-[0-9a-f]{16}-01$`));
    const derived = createHash('sha256').update('order-42').digest('hex').slice(0, 32);
    expect(traceparentOf('order-42')).toMatch(new RegExp(`^00-${derived}-[0-9a-f]{16}-01$`));
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
