import { Icon } from '../elements/icon.tsx';
import { Ago } from '../elements/time.tsx';
import type { Stage } from './pipeline-stages.ts';

const ICONS = { done: 'check', here: 'clock', failed: 'close', ahead: 'chevron' } as const;
const SAID = { done: 'done', here: 'it is here now', failed: 'failed', ahead: 'still ahead' };

export function PipelineDrawing({ stages }: { stages: readonly Stage[] }) {
  return (
    <ol class="pipeline" aria-label="Pipeline">
      {stages.map(({ name, state, at, note }) => (
        <li key={name} class={`pipeline-stage is-${state}`} aria-current={state === 'here' ? 'step' : undefined}>
          <span class="pipeline-mark">
            <Icon name={ICONS[state]} />
          </span>
          <strong>
            {name}
            <span class="visually-hidden"> ({SAID[state]})</span>
          </strong>
          <span class="muted">{note}</span>
          {at && (
            <span class="muted">
              <Ago at={at} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
