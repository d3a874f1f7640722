import { signal } from '@preact/signals';
import { send } from './admin-api.ts';
import type { Delivery, Now } from './responses.ts';
import { Problem } from './problem.ts';
import { SentEventReader, type SentEvent } from './sent-events.ts';

export type LiveState = 'connecting' | 'live' | 'interrupted';

/** Kept samples of the throughput. */
const SAMPLES = 90;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;

export const liveState = signal<LiveState>('connecting');
export const liveNow = signal<Now | null>(null);
export const liveSamples = signal<number[]>([]);

type Listener = (changed: Delivery[]) => void;
const listeners = new Set<Listener>();

/** Calls the listener with changed deliveries; returns the unsubscribe function. */
export function onDeliveries(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Reads the stream and reconnects after a failure; returns the function that stops it. */
export function followStream(tenantId: string | null): () => void {
  const stop = new AbortController();
  liveNow.value = null;
  liveSamples.value = [];
  void follow(tenantId, stop.signal);
  return () => stop.abort();
}

async function follow(tenantId: string | null, signal: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!signal.aborted) {
    liveState.value = liveState.value === 'live' ? 'interrupted' : liveState.value;
    try {
      await readStream(tenantId, signal, () => {
        liveState.value = 'live';
        pauseMs = FIRST_PAUSE_MS;
      });
    } catch (error) {
      if (signal.aborted || (error instanceof Problem && [401, 403].includes(error.status))) return;
    }
    if (signal.aborted) return;
    liveState.value = 'interrupted';
    await pause(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
  }
}

async function readStream(tenantId: string | null, signal: AbortSignal, onOpen: () => void): Promise<void> {
  const response = await send('/stream', { query: { tenantId }, signal });
  onOpen();
  const reader = new SentEventReader();
  const pieces = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let piece = await pieces.read(); !piece.done; piece = await pieces.read()) {
    reader.read(piece.value).forEach(take);
  }
}

function take({ event, data }: SentEvent): void {
  if (event === 'now') {
    const now = JSON.parse(data) as Now;
    liveNow.value = now;
    liveSamples.value = [...liveSamples.value, now.deliveredPerSecond].slice(-SAMPLES);
  }
  if (event === 'deliveries') {
    const { items } = JSON.parse(data) as { items: Delivery[] };
    listeners.forEach((tell) => tell(items));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}
