import { AsyncLocalStorage } from 'node:async_hooks';
import { hash, randomBytes } from 'node:crypto';
import { activeSpan, formatTraceParent } from './trace-parent.js';
import { takeRandomBytes } from '@kernel/runtime';

const TRACE_ID = /^[A-Za-z0-9._-]{8,128}$/;
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;
const W3C_TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

const traces = new AsyncLocalStorage<string>();

/** Runs `work` so that everything it publishes and logs has this trace id. */
export function runWithTrace<T>(traceId: string, work: () => T): T {
  return traces.run(traceId, work);
}

export function currentTraceId(): string | undefined {
  return traces.getStore();
}

/** The current trace id, or a new one that becomes current for the caller and its callees. */
export function keptTraceId(): string {
  const current = traces.getStore() ?? newTraceId();
  traces.enterWith(current);
  return current;
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/**
 * `x-trace-id` wins over the trace id of `traceparent`. A missing or invalid id is never refused but replaced: by the
 * active span's trace id, or by a new one.
 */
export function traceIdFromHeaders(headers: { 'x-trace-id'?: string; traceparent?: string }): string {
  const own = headers['x-trace-id'];
  if (own && TRACE_ID.test(own)) {
    return own;
  }
  const parent = headers.traceparent && TRACEPARENT.exec(headers.traceparent)?.[1];
  return parent && W3C_TRACE_ID.test(parent) ? parent : (activeSpan()?.traceId ?? newTraceId());
}

/**
 * The outgoing `traceparent`: the trace id if it is a W3C one, else 16 bytes derived from it. The active span is the
 * receiver's parent if it belongs to that trace.
 */
export function traceparentOf(traceId: string): string {
  const w3cTraceId = W3C_TRACE_ID.test(traceId) ? traceId : hash('sha256', traceId, 'hex').slice(0, 32);
  const span = activeSpan();
  if (span?.traceId === w3cTraceId) {
    return formatTraceParent(span)!;
  }
  return `00-${w3cTraceId}-${takeRandomBytes(8).toString('hex')}-01`;
}
