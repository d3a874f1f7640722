import type { Now } from '../connection/answers.ts';
import { liveNow, liveSamples } from '../connection/live-stream.ts';
import { sayCount, sayRate } from '../elements/say-number.ts';
import { sayDuration } from '../elements/say-time.ts';
import { hrefOf } from '../navigation/location.ts';
import { ThroughputLine } from './throughput-line.tsx';
import { Tile } from './tile.tsx';

const OLD_SECONDS = 60;

/** As the stream tells it; until it does, as it was when asked. */
export function LiveTiles({ asked }: { asked: Now }) {
  const now = liveNow.value ?? asked;
  const oldest = now.oldestDueSeconds;
  const sayUpTo = (count: number) => sayCount(count) + (count >= now.countCap ? '+' : '');
  return (
    <section class="tiles" aria-label="Right now">
      <Tile label="Throughput" value={sayRate(now.deliveredPerSecond)} unit="/s">
        <ThroughputLine samples={liveSamples.value} />
      </Tile>
      <Tile
        label="Backlog"
        value={sayUpTo(now.due)}
        tone={oldest > OLD_SECONDS ? 'warn' : undefined}
        href={hrefOf('/deliveries', { status: 'PENDING' })}
      >
        {now.due === 0 ? 'nothing is due' : `oldest ${sayDuration(oldest)}, ${sayCount(now.leased)} in flight`}
      </Tile>
      <Tile
        label="Dead letters"
        value={sayUpTo(now.deadLetters)}
        tone={now.deadLetters > 0 ? 'bad' : undefined}
        href={hrefOf('/dead-letters')}
      >
        {now.deadLetters > 0 ? 'wait for a decision' : 'none'}
      </Tile>
      <Tile
        label="Open circuits"
        value={sayUpTo(now.openCircuits)}
        tone={now.openCircuits > 0 ? 'warn' : undefined}
        href={hrefOf('/endpoints')}
      >
        {now.openCircuits > 0 ? 'endpoints that rest' : 'none'}
      </Tile>
      <Tile
        label="Blocked lanes"
        value={sayUpTo(now.blockedLanes)}
        tone={now.blockedLanes > 0 ? 'warn' : undefined}
        href={hrefOf('/lanes', { blocked: 'true' })}
      >
        {now.blockedLanes > 0 ? 'behind a dead letter' : 'none'}
      </Tile>
      <Tile label="Workers alive" value={sayCount(now.workersAlive)} tone={now.workersAlive === 0 ? 'bad' : undefined}>
        {now.workersAlive === 0 ? 'nothing is delivered' : 'heard of just now'}
      </Tile>
    </section>
  );
}
