import { signal } from '@preact/signals';
import { formatAgo } from './format-time.ts';

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** Ticks for all relative times. */
const nowMs = signal(Date.now());
setInterval(() => (nowMs.value = Date.now()), 5_000);

/** In the local time zone; UTC on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${at} UTC`}>
      {LOCAL.format(new Date(at))}
    </time>
  );
}

/** `2 min ago`, with both time zones on hover. */
export function Ago({ at }: { at: string }) {
  return (
    <time dateTime={at} title={`${LOCAL.format(new Date(at))}\n${at} UTC`}>
      {formatAgo(Date.parse(at), nowMs.value)}
    </time>
  );
}
