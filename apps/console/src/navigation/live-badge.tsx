import { liveState } from '../connection/live-stream.ts';

const TEXTS = { connecting: 'Connecting', live: 'Live', interrupted: 'Reconnecting' };

/** Whether what is on the page keeps itself up to date. */
export function LiveBadge() {
  return (
    <span class={`live-badge is-${liveState.value}`} role="status">
      {TEXTS[liveState.value]}
    </span>
  );
}
