import type { Now } from '../connection/responses.ts';
import { liveNow, liveSamples } from '../connection/live-stream.ts';
import { formatCount, formatRate } from '../elements/format-number.ts';
import { formatDuration } from '../elements/format-time.ts';
import { hrefOf } from '../navigation/location.ts';
import { ThroughputLine } from './throughput-line.tsx';
import { Tile } from './tile.tsx';

const OLD_SECONDS = 60;

/** Live figures from the stream; until the first one, the requested snapshot. */
export function LiveTiles({ asked }: { asked: Now }) {
  const now = liveNow.value ?? asked;
  const oldest = now.oldestDueSeconds;
  const formatUpTo = (count: number) => formatCount(count) + (count >= now.countCap ? '+' : '');
  return (
    <section class="tiles" aria-label="Right now">
      <Tile label="Throughput" value={formatRate(now.deliveredPerSecond)} unit="/s">
        <ThroughputLine samples={liveSamples.value} />
      </Tile>
      <Tile
        label="Backlog"
        value={formatUpTo(now.due)}
        tone={oldest > OLD_SECONDS ? 'warn' : undefined}
        href={hrefOf('/deliveries', { status: 'PENDING' })}
      >
        {now.due === 0 ? 'nothing is due' : `oldest ${formatDuration(oldest)}, ${formatCount(now.leased)} in flight`}
      </Tile>
      <Tile
        label="Dead letters"
        value={formatUpTo(now.deadLetters)}
        tone={now.deadLetters > 0 ? 'bad' : undefined}
        href={hrefOf('/dead-letters')}
      >
        {now.deadLetters > 0 ? 'wait for a decision' : 'none'}
      </Tile>
      <Tile
        label="Open circuits"
        value={formatUpTo(now.openCircuits)}
        tone={now.openCircuits > 0 ? 'warn' : undefined}
        href={hrefOf('/endpoints')}
      >
        {now.openCircuits > 0 ? 'endpoints that rest' : 'none'}
      </Tile>
      <Tile
        label="Blocked lanes"
        value={formatUpTo(now.blockedLanes)}
        tone={now.blockedLanes > 0 ? 'warn' : undefined}
        href={hrefOf('/lanes', { blocked: 'true' })}
      >
        {now.blockedLanes > 0 ? 'behind a dead letter' : 'none'}
      </Tile>
      <Tile
        label="Workers alive"
        value={formatCount(now.workersAlive)}
        tone={now.workersAlive === 0 ? 'bad' : undefined}
      >
        {now.workersAlive === 0 ? 'nothing is delivered' : 'heard of just now'}
      </Tile>
    </section>
  );
}
