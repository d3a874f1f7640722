import { useEffect, useRef, useState } from 'preact/hooks';
import type { Query } from '../connection/admin-api.ts';
import type { Delivery, Page } from '../connection/answers.ts';
import { onDeliveries } from '../connection/live-stream.ts';
import { useAnswer, type Answer } from '../connection/use-answer.ts';

const PAUSE_MS = 1_000;

export interface LiveDeliveries {
  answer: Answer<Page<Delivery>>;
  /** Ids of those that changed while one watched. */
  fresh: ReadonlySet<string>;
}

/** A list that asks again when the stream tells of changes, so that filter and order stay the server's. */
export function useLiveDeliveries(query: Query, isLive = true): LiveDeliveries {
  const answer = useAnswer<Page<Delivery>>('/deliveries', query);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const timer = useRef<number>(undefined);
  const { reload } = answer;
  useEffect(() => {
    if (!isLive) return;
    const stop = onDeliveries((changed) => {
      setFresh(new Set(changed.map(({ deliveryId }) => deliveryId)));
      timer.current ??= window.setTimeout(() => {
        timer.current = undefined;
        reload();
      }, PAUSE_MS);
    });
    return () => {
      stop();
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isLive]);
  return { answer, fresh };
}
