import { Field } from '../elements/field.tsx';
import type { Draft } from './endpoint-draft.ts';
import type { DraftProps } from './draft-props.ts';

const NUMBERS = [
  { name: 'maxAttempts', path: 'retry.maxAttempts', label: 'Attempts' },
  { name: 'timeoutMs', path: 'timeoutMs', label: 'Timeout (ms)' },
  { name: 'initialDelayMs', path: 'retry.initialDelayMs', label: 'First pause (ms)' },
  { name: 'maxDelayMs', path: 'retry.maxDelayMs', label: 'Longest pause (ms)' },
  { name: 'maxInFlight', path: 'maxInFlight', label: 'In flight per worker' },
] as const;

export function AdvancedFields({ draft, change, mistakeAt, isNew }: DraftProps & { isNew: boolean }) {
  return (
    <div class="field-grid">
      <Field label="Order" hint="Strictly one after the other within a stream, or as fast as they go.">
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={draft.ordering}
            onChange={(event) => change({ ordering: event.currentTarget.value as Draft['ordering'] })}
          >
            <option value="none">Any order</option>
            <option value="stream">Per stream</option>
          </select>
        )}
      </Field>
      <Field label="A dead letter" hint="What the stream behind it does.">
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            disabled={draft.ordering === 'none'}
            value={draft.onDeadLetter}
            onChange={(event) => change({ onDeadLetter: event.currentTarget.value as Draft['onDeadLetter'] })}
          >
            <option value="block">Blocks its stream</option>
            <option value="skip">Is skipped</option>
          </select>
        )}
      </Field>
      <Field label="Signature" hint={isNew ? 'A shared secret, or a key pair.' : 'Another one makes a new secret.'}>
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={draft.signature}
            onChange={(event) => change({ signature: event.currentTarget.value as Draft['signature'] })}
          >
            <option value="v1">v1, HMAC-SHA256</option>
            <option value="v1a">v1a, ed25519</option>
          </select>
        )}
      </Field>
      {NUMBERS.map(({ name, path, label }) => (
        <Field key={name} label={label} hint="Empty: as the application." error={mistakeAt(path)}>
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              inputMode="numeric"
              autocomplete="off"
              value={draft[name]}
              onInput={(event) => change({ [name]: event.currentTarget.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
