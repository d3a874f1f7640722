import { useState } from 'preact/hooks';
import type { Problem } from '../connection/problem.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { checkDraft, type Mistakes } from './check-draft.ts';
import type { DraftProps } from './draft-props.ts';
import type { Draft } from './endpoint-draft.ts';
import { HeaderFields } from './header-fields.tsx';
import { PredicateBuilder } from './predicate-builder.tsx';
import { TryPanel } from './try-panel.tsx';
import { WhereFields } from './where-fields.tsx';
import './endpoints.css';

interface EndpointFormProps {
  start: Draft;
  isNew: boolean;
  onSave: (draft: Draft) => Promise<void>;
  onLeave: () => void;
}

/** Shows mistakes of touched fields, and of all fields after the first attempt to save. */
export function EndpointForm({ start, isNew, onSave, onLeave }: EndpointFormProps) {
  const [draft, setDraft] = useState(start);
  const [hasTried, setTried] = useState(false);
  const { run, isRunning, problem, clear } = useAction(onSave);
  const mistakes = checkDraft(draft);
  const fields: DraftProps = {
    draft,
    change: (changes) => {
      clear();
      setDraft((before) => ({ ...before, ...changes }));
    },
    mistakeAt: (path) =>
      problem?.fields.get(path) ?? (hasTried || isTouched(path, draft, start) ? mistakes.get(path) : undefined),
  };
  return (
    <form
      class="endpoint-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (mistakes.size === 0) void run(draft);
      }}
    >
      <div class="stack">
        <Panel title="Where and what">
          <WhereFields {...fields} isNew={isNew} />
        </Panel>
        <Panel title="Filters">
          <PredicateBuilder {...fields} />
        </Panel>
        <Panel title="How it is delivered">
          <AdvancedFields {...fields} isNew={isNew} />
        </Panel>
        <Panel title="Headers">
          <HeaderFields {...fields} />
        </Panel>
        <Complaint problem={problem} mistakes={hasTried ? mistakes : new Map()} />
        <div class="actions is-end">
          <Button onClick={onLeave}>Leave it</Button>
          <Button kind="primary" type="submit" isBusy={isRunning}>
            {isNew ? 'Create endpoint' : 'Save changes'}
          </Button>
        </div>
      </div>
      <TryPanel draft={draft} isReady={mistakes.size === 0 || isTryable(mistakes)} />
    </form>
  );
}

function Complaint({ problem, mistakes }: { problem: Problem | undefined; mistakes: Mistakes }) {
  if (problem) return <ProblemNotice problem={problem} />;
  if (mistakes.size === 0) return null;
  return (
    <p class="field-error" role="alert">
      {mistakes.size === 1 ? 'One field is' : `${mistakes.size} fields are`} not right yet.
    </p>
  );
}

function isTouched(path: string, draft: Draft, start: Draft): boolean {
  const key = path
    .replace(/^retry\./, '')
    .replace(/^subscribedTypes$/, 'types')
    .replace(/^subscriptions\..*/, 'filters');
  const name = key.split('.')[0] as keyof Draft;
  return draft[name] !== start[name] && draft[name] !== '';
}

/** Valid types and filters are enough for a dry run. */
function isTryable(mistakes: Mistakes): boolean {
  return [...mistakes.keys()].every((path) => !/^(tenantId|subscri)/.test(path));
}
