import { useEffect, useRef, useState } from 'preact/hooks';
import type { Query } from '../connection/admin-api.ts';
import type { Delivery, Page } from '../connection/responses.ts';
import { onDeliveries } from '../connection/live-stream.ts';
import { useResponse, type LoadedResponse } from '../connection/use-response.ts';

const PAUSE_MS = 1_000;

export interface LiveDeliveries {
  response: LoadedResponse<Page<Delivery>>;
  /** Ids of the deliveries that changed while the page was open. */
  fresh: ReadonlySet<string>;
}

/** A list that reloads when the stream reports changes, so the server stays in charge of filter and order. */
export function useLiveDeliveries(query: Query, isLive = true): LiveDeliveries {
  const response = useResponse<Page<Delivery>>('/deliveries', query);
  const [fresh, setFresh] = useState<ReadonlySet<string>>(new Set());
  const timer = useRef<number>(undefined);
  const { reload } = response;
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
  return { response, fresh };
}
