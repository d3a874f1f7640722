import type { ComponentChildren } from 'preact';
import type { Answer } from '../connection/use-answer.ts';
import { ProblemNotice } from './problem-notice.tsx';

interface LoadedProps<T> {
  answer: Answer<T>;
  /** How many lines stand in for what is on its way. */
  lines?: number;
  children: (data: T) => ComponentChildren;
}

/** An answer once it is there; before that its outline, or what went wrong. */
export function Loaded<T>({ answer: { data, problem, reload }, lines = 6, children }: LoadedProps<T>) {
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
