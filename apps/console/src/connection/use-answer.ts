import { useCallback, useEffect, useState } from 'preact/hooks';
import { asProblem, ask, toSearch, type Query } from './admin-api.ts';
import type { Problem } from './problem.ts';

export interface Answer<T> {
  data: T | undefined;
  problem: Problem | undefined;
  isLoading: boolean;
  /** Asks again; what is shown stays until the answer is there. */
  reload: () => void;
}

interface Known<T> {
  key: string;
  data?: T;
  problem?: Problem;
}

/** Asks whenever path or query change, and again every `everyMs` if given. A path of null asks nothing. */
export function useAnswer<T>(path: string | null, query?: Query, everyMs?: number): Answer<T> {
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
