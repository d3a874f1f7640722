import { signal } from '@preact/signals';
import { sayAgo } from './say-time.ts';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Moves on by itself, for all that say how long ago. */
const nowMs = signal(Date.now());
setInterval(() => (nowMs.value = Date.now()), 5_000);

/** In the zone of who looks; UTC on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${at} UTC`}>
      {LOCAL.format(new Date(at))}
    </time>
  );
}

/** `2 min ago`, and both zones on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${LOCAL.format(new Date(at))}\n${at} UTC`}>
      {sayAgo(Date.parse(at), nowMs.value)}
    </time>
  );
}
