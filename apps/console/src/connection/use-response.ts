import { useCallback, useEffect, useState } from 'preact/hooks';
import { asProblem, ask, toSearch, type Query } from './admin-api.ts';
import type { Problem } from './problem.ts';

export interface LoadedResponse<T> {
  data: T | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  /** Sends the request again; `data` stays until the response is there. */
  reload: () => void;
}

interface Known<T> {
  key: string;
  data?: T;
  problem?: Problem;
}

/** Sends a request when path or query change, and every `everyMs` if given. None while the path is null. */
export function useResponse<T>(path: string | null, query?: Query, everyMs?: number): LoadedResponse<T> {
  const key = path === null ? '' : path + toSearch(query);
  const [known, setKnown] = useState<Known<T>>({ key: '' });
  const [round, setRound] = useState(0);
  const reload = useCallback(() => setRound((before) => before + 1), []);

  useEffect(() => {
    if (!key) return;
    const stop = new AbortController();
    ask<T>(key, { signal: stop.signal }).then(
      (data) => !stop.signal.aborted && setKnown({ key, data }),
      (error: unknown) =>
        !stop.signal.aborted &&
        setKnown((before) => ({ ...(before.key === key ? before : { key }), problem: asProblem(error) })),
    );
    return () => stop.abort();
  }, [key, round]);

  useEffect(() => {
    if (!key || everyMs === undefined) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);

  const isKnown = known.key === key;
  return {
    data: isKnown ? known.data : undefined,
    problem: isKnown ? known.problem : undefined,
    isLoading: key !== '' && !isKnown,
    reload,
  };
}
