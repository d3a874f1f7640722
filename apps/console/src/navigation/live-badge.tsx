import { liveState } from '../connection/live-stream.ts';

const TEXTS = { connecting: 'Connecting', live: 'Live', interrupted: 'Reconnecting' };

/** Shows whether the page updates itself. */
export function LiveBadge() {
  return (
    <span class={`live-badge is-${liveState.value}`} role="status">
      {TEXTS[liveState.value]}
    </span>
  );
}
