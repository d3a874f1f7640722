import { Button } from '../elements/button.tsx';
import { Field } from '../elements/field.tsx';
import { Icon } from '../elements/icon.tsx';
import type { DraftHeader } from './endpoint-draft.ts';
import type { DraftProps } from './draft-props.ts';

/** Headers sent with every webhook. A credential is named by the alias of a stored secret. */
export function HeaderFields({ draft: { headers }, change, mistakeAt }: DraftProps) {
  const replace = (index: number, changes: Partial<DraftHeader>) =>
    change({ headers: headers.map((header, at) => (at === index ? { ...header, ...changes } : header)) });
  return (
    <div class="stack">
      {headers.length === 0 && <p class="muted">None besides our own.</p>}
      {headers.map(({ name, value, isAlias }, index) => (
        <div key={index} class="predicate">
          <Field label="Name" error={mistakeAt(`headers.${index}`)}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                autocomplete="off"
                value={name}
                onInput={(event) => replace(index, { name: event.currentTarget.value })}
              />
            )}
          </Field>
          <Field label="Kind">
            {(attributes) => (
              <select
                {...attributes}
                class="input"
                value={isAlias ? 'alias' : 'text'}
                onChange={(event) => replace(index, { isAlias: event.currentTarget.value === 'alias' })}
              >
                <option value="text">Text</option>
                <option value="alias">Secret by alias</option>
              </select>
            )}
          </Field>
          <Field label={isAlias ? 'Alias' : 'Value'} error={mistakeAt(`headers.${name}`)}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                autocomplete="off"
                value={value}
                onInput={(event) => replace(index, { value: event.currentTarget.value })}
              />
            )}
          </Field>
          <button
            type="button"
            class="icon-button"
            aria-label="Remove header"
            onClick={() => change({ headers: headers.filter((_, at) => at !== index) })}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <div>
        <Button icon="plus" onClick={() => change({ headers: [...headers, { name: '', value: '', isAlias: false }] })}>
          Header
        </Button>
      </div>
    </div>
  );
}
