import { Button } from '../elements/button.tsx';
import { Choice } from '../elements/choice.tsx';
import type { DraftFilter, DraftPredicate } from './endpoint-draft.ts';
import type { DraftProps } from './draft-props.ts';
import { PredicateRow } from './predicate-row.tsx';

const MATCHES = [
  { value: 'all', label: 'All match' },
  { value: 'any', label: 'Any matches' },
] as const;

const EMPTY: DraftPredicate = { path: '$.', operator: 'equals', value: '' };

/** Filters a type by its payload. A type without a filter gets all its events. */
export function PredicateBuilder({ draft, change, mistakeAt }: DraftProps) {
  const replace = (index: number, changes: Partial<DraftFilter>) =>
    change({ filters: draft.filters.map((filter, at) => (at === index ? { ...filter, ...changes } : filter)) });
  const withoutFilter = draft.types.filter((type) => !draft.filters.some((filter) => filter.type === type));
  return (
    <div class="stack">
      {draft.types.length === 0 && <p class="muted">Choose a type first. Without a filter all its events are sent.</p>}
      {draft.filters.map((filter, index) => (
        <fieldset key={index} class="filter">
          <legend>{filter.type}</legend>
          <div class="filter-head">
            <Choice
              label={`How the conditions of ${filter.type} combine`}
              options={MATCHES}
              value={filter.match}
              onChange={(match) => replace(index, { match })}
            />
            <Button icon="trash" onClick={() => change({ filters: draft.filters.filter((_, at) => at !== index) })}>
              Remove filter
            </Button>
          </div>
          {filter.predicates.map((predicate, place) => (
            <PredicateRow
              key={place}
              predicate={predicate}
              pathMistake={mistakeAt(`subscriptions.${index}.predicates.${place}.path`)}
              valueMistake={mistakeAt(`subscriptions.${index}.predicates.${place}.value`)}
              onChange={(changes) =>
                replace(index, {
                  predicates: filter.predicates.map((one, at) => (at === place ? { ...one, ...changes } : one)),
                })
              }
              onRemove={() => replace(index, { predicates: filter.predicates.filter((_, at) => at !== place) })}
            />
          ))}
          <div>
            <Button icon="plus" onClick={() => replace(index, { predicates: [...filter.predicates, EMPTY] })}>
              Condition
            </Button>
          </div>
        </fieldset>
      ))}
      <div class="actions">
        {withoutFilter.map((type) => (
          <Button
            key={type}
            icon="filter"
            onClick={() => change({ filters: [...draft.filters, { type, match: 'all', predicates: [EMPTY] }] })}
          >
            Filter {type}
          </Button>
        ))}
      </div>
    </div>
  );
}
