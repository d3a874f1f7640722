import { useEffect, useState } from 'preact/hooks';
import { asProblem, ask } from '../connection/admin-api.ts';
import type { Event, PolicyPreview, PolicyRule } from '../connection/responses.ts';
import type { Problem } from '../connection/problem.ts';
import { CodeBlock } from '../elements/code-block.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { indentJson } from './indent-json.ts';
import { MarkedPayload } from './marked-payload.tsx';
import { RemovedPaths } from './removed-paths.tsx';

const PAUSE_MS = 300;

interface SideBySideProps {
  eventType: string;
  owner: string | null;
  rules: readonly PolicyRule[];
  events: readonly Event[];
}

/** A real payload on the left, its redaction by the rules in the form on the right. */
export function SideBySide({ eventType, owner, rules, events }: SideBySideProps) {
  const [chosenId, setChosenId] = useState(events[0]?.eventId);
  const event = events.find(({ eventId }) => eventId === chosenId);
  const { preview, problem } = usePreview(eventType, event, owner, rules);
  if (!event) {
    return (
      <EmptyState icon="event" title="Nothing to try it on">
        As soon as an event of this type is published, its payload is shown here beside what goes out of it.
      </EmptyState>
    );
  }
  return (
    <>
      <label class="field preview-choice">
        <span class="field-label">Tried on</span>
        <select class="input" value={chosenId} onChange={(change) => setChosenId(change.currentTarget.value)}>
          {events.map(({ eventId, createdAt }) => (
            <option key={eventId} value={eventId}>
              {new Date(createdAt).toLocaleString()} · {eventId.slice(-8)}
            </option>
          ))}
        </select>
      </label>
      {problem && <ProblemNotice problem={problem} />}
      <div class="columns">
        <Panel title="Payload in">
          <MarkedPayload payload={event.payload} removed={preview?.removed.map(({ path }) => path) ?? []} />
        </Panel>
        <Panel title="Bytes out">
          {preview ? (
            <div class="stack">
              <CodeBlock text={indentJson(preview.body)} label="bytes out" />
              <RemovedPaths removed={preview.removed} />
            </div>
          ) : (
            <p class="muted">…</p>
          )}
        </Panel>
      </div>
    </>
  );
}

/** Waits until typing pauses; keeps the last preview until the next one. */
function usePreview(eventType: string, event: Event | undefined, owner: string | null, rules: readonly PolicyRule[]) {
  const [preview, setPreview] = useState<PolicyPreview>();
  const [problem, setProblem] = useState<Problem>();
  const key = JSON.stringify([event?.eventId, rules]);
  useEffect(() => {
    if (!event) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const body = { eventId: event.eventId, rules, tenantId: owner ?? event.tenantId };
      ask<PolicyPreview>(`/policies/${encodeURIComponent(eventType)}/preview`, {
        method: 'POST',
        body,
        signal: stop.signal,
      }).then(
        (response) => (setPreview(response), setProblem(undefined)),
        (error: unknown) => !stop.signal.aborted && setProblem(asProblem(error)),
      );
    }, PAUSE_MS);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [key]);
  return { preview, problem };
}
