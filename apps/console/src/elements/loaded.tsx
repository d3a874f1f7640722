import type { ComponentChildren } from 'preact';
import type { LoadedResponse } from '../connection/use-response.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface LoadedProps<T> {
  response: LoadedResponse<T>;
  /** Number of placeholder lines while loading. */
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** Renders a response when it is loaded; before that a placeholder, or the problem. */
export function Loaded<T>({ response: { data, problem, reload }, lines = 6, children }: LoadedProps<T>) {
  return (
    <>
      {problem && <ProblemNotice problem={problem} onRetry={problem.status === 404 ? undefined : reload} />}
      {data !== undefined ? children(data) : !problem && <Skeleton lines={lines} />}
    </>
  );
}

export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
