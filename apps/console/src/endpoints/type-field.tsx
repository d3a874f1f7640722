import { useState } from 'preact/hooks';
import type { Event, Page } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Field } from '../elements/field.tsx';
import { Icon } from '../elements/icon.tsx';
import type { DraftProps } from './draft-props.ts';

/** Suggests recently published types; any other can be typed. */
export function TypeField({ draft, change, mistakeAt }: DraftProps) {
  const [typed, setTyped] = useState('');
  const recent = useResponse<Page<Event>>('/events', {
    tenantId: draft.tenantId.length === 36 ? draft.tenantId : null,
    limit: 200,
  });
  const known = [...new Set(recent.data?.items.map(({ type }) => type))].sort();
  const offered = known.filter((type) => !draft.types.includes(type));
  const add = (type: string) => {
    const wanted = type.trim();
    if (wanted && !draft.types.includes(wanted)) change({ types: [...draft.types, wanted] });
    setTyped('');
  };
  const remove = (type: string) =>
    change({
      types: draft.types.filter((one) => one !== type),
      filters: draft.filters.filter((filter) => filter.type !== type),
    });
  return (
    <div class="stack is-tight">
      <Field label="Event types" hint="Enter adds it, e.g. invoice.created.v1" error={mistakeAt('subscribedTypes')}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            list="known-types"
            autocomplete="off"
            spellcheck={false}
            maxLength={160}
            value={typed}
            onInput={(event) => setTyped(event.currentTarget.value)}
            onBlur={() => add(typed)}
            onKeyDown={(event) => {
              if (event.key === 'Enter') {
                event.preventDefault();
                add(typed);
              }
            }}
          />
        )}
      </Field>
      <datalist id="known-types">
        {offered.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {draft.types.length > 0 && (
        <ul class="chips" aria-label="Chosen types">
          {draft.types.map((type) => (
            <li key={type} class="chip">
              {type}
              <button type="button" aria-label={`Remove ${type}`} onClick={() => remove(type)}>
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      {offered.length > 0 && (
        <ul class="chips" aria-label="Published lately">
          {offered.slice(0, 8).map((type) => (
            <li key={type}>
              <button type="button" class="chip is-offer" onClick={() => add(type)}>
                <Icon name="plus" />
                {type}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
