import { AsyncLocalStorage } from 'node:async_hooks';
import { hash, randomBytes } from 'node:crypto';
import { takeRandomBytes } from '@kernel/runtime';
import { TraceFlags } from '@opentelemetry/api';
import { activeSpan, formatTraceParent, parseTraceParent } from './trace-parent.js';
import { readTraceState } from './trace-state.js';

const TRACE_ID = /^[A-Za-z0-9._-]{8,128}$/;
const W3C_TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

/** A trace id, and the W3C Trace Context that came with it. */
export interface Trace {
  traceId: string;
  /** Null: none is known. Its trace id may be another one, because `x-trace-id` wins. */
  traceParent: string | null;
  traceState: string | null;
}

const traces = new AsyncLocalStorage<Trace>();

/** Runs `work` so that everything it publishes and logs has this trace id. */
export function runWithTrace<T>(traceId: string, work: () => T): T {
  const current = traces.getStore();
  return traces.run(current?.traceId === traceId ? current : { traceId, traceParent: null, traceState: null }, work);
}

/** The same with the trace context of a request or a delivery. */
export function runInTrace<T>({ traceId, traceParent, traceState }: Trace, work: () => T): T {
  return traces.run({ traceId, traceParent, traceState }, work);
}

export function currentTraceId(): string | undefined {
  return traces.getStore()?.traceId;
}

/** The `traceparent` that came with the current trace. */
export function currentTraceParent(): string | null {
  return traces.getStore()?.traceParent ?? null;
}

/** The `tracestate` of the active span, else of the current trace. */
export function currentTraceState(): string | null {
  const ofSpan = activeSpan()?.traceState?.serialize();
  return (ofSpan ? readTraceState(ofSpan) : null) ?? traces.getStore()?.traceState ?? null;
}

/** The current trace id, or a new one that becomes current for the caller and its callees. */
export function keptTraceId(): string {
  const current = traces.getStore() ?? { traceId: newTraceId(), traceParent: null, traceState: null };
  traces.enterWith(current);
  return current.traceId;
}

export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

export interface TraceHeaders {
  'x-trace-id'?: string;
  traceparent?: string;
  tracestate?: string;
}

/**
 * `x-trace-id` wins over the trace id of `traceparent`. A missing or invalid id is never refused but replaced: by the
 * active span's trace id, or by a new one. Without a valid `traceparent`, `tracestate` is dropped, as W3C demands.
 */
export function traceFromHeaders({ 'x-trace-id': own, traceparent, tracestate }: TraceHeaders): Trace {
  const parent = parseTraceParent(traceparent);
  return {
    traceId: own && TRACE_ID.test(own) ? own : (parent?.traceId ?? activeSpan()?.traceId ?? newTraceId()),
    traceParent: parent ? formatTraceParent(parent) : null,
    traceState: parent ? readTraceState(tracestate) : null,
  };
}

/**
 * The outgoing `traceparent`: the trace id if it is a W3C one, else 16 bytes derived from it. The active span is the
 * receiver's parent if it belongs to that trace. Otherwise the flag is that of `traceParent`; sampled if none is known,
 * so that the receiver decides.
 */
export function traceparentOf(traceId: string, traceParent: string | null = null): string {
  const w3cTraceId = W3C_TRACE_ID.test(traceId) ? traceId : hash('sha256', traceId, 'hex').slice(0, 32);
  const span = activeSpan();
  if (span?.traceId === w3cTraceId) {
    return formatTraceParent(span)!;
  }
  const flags = parseTraceParent(traceParent)?.traceFlags ?? TraceFlags.SAMPLED;
  return `00-${w3cTraceId}-${takeRandomBytes(8).toString('hex')}-0${flags}`;
}
