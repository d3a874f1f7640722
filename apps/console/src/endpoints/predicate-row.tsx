import type { PredicateOperator } from '../connection/endpoint-responses.ts';
import { Field } from '../elements/field.tsx';
import { Icon } from '../elements/icon.tsx';
import type { DraftPredicate } from './endpoint-draft.ts';

const OPERATORS: readonly [PredicateOperator, string][] = [
  ['equals', 'equals'],
  ['not-equals', 'does not equal'],
  ['in', 'is one of'],
  ['greater', 'is greater than'],
  ['less', 'is less than'],
  ['exists', 'exists'],
  ['starts-with', 'starts with'],
];

interface PredicateRowProps {
  predicate: DraftPredicate;
  pathMistake: string | undefined;
  valueMistake: string | undefined;
  onChange: (changes: Partial<DraftPredicate>) => void;
  onRemove: () => void;
}

export function PredicateRow({ predicate, pathMistake, valueMistake, onChange, onRemove }: PredicateRowProps) {
  const { path, operator, value } = predicate;
  return (
    <div class="predicate">
      <Field label="Field" error={pathMistake}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            autocomplete="off"
            spellcheck={false}
            value={path}
            onInput={(event) => onChange({ path: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Comparison">
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={operator}
            onChange={(event) => onChange({ operator: event.currentTarget.value as PredicateOperator, value: '' })}
          >
            {OPERATORS.map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Value" hint={operator === 'in' ? 'With commas between them.' : undefined} error={valueMistake}>
        {(attributes) =>
          operator === 'exists' ? (
            <select
              {...attributes}
              class="input"
              value={value === 'false' ? 'false' : 'true'}
              onChange={(event) => onChange({ value: event.currentTarget.value })}
            >
              <option value="true">yes</option>
              <option value="false">no</option>
            </select>
          ) : (
            <input
              {...attributes}
              class="input"
              autocomplete="off"
              spellcheck={false}
              inputMode={operator === 'greater' || operator === 'less' ? 'decimal' : 'text'}
              value={value}
              onInput={(event) => onChange({ value: event.currentTarget.value })}
            />
          )
        }
      </Field>
      <button type="button" class="icon-button" aria-label="Remove condition" onClick={onRemove}>
        <Icon name="close" />
      </button>
    </div>
  );
}
