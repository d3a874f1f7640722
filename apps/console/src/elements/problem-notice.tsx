import type { Problem } from '../connection/problem.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

const TITLES: Record<number, string> = {
  0: 'No answer',
  403: 'Not yours to see',
  404: 'Not found',
};

/** The problem as the app describes it, with the trace id for its log. */
export function ProblemNotice({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div class="notice is-bad" role="alert">
      <Icon name="alert" />
      <div>
        <strong>{TITLES[problem.status] ?? 'That did not work'}</strong>
        <p>{problem.message}</p>
        {problem.fields.size > 0 && (
          <ul>
            {[...problem.fields].map(([path, message]) => (
              <li key={path}>
                {path && <code>{path}</code>} {message}
              </li>
            ))}
          </ul>
        )}
        {problem.traceId && problem.status >= 500 && (
          <p>
            Trace <code>{problem.traceId}</code>
          </p>
        )}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
