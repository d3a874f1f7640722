import { useState } from 'preact/hooks';
import { changeQuery, query } from '../navigation/location.ts';
import { Button } from './button.tsx';

export interface Filter {
  name: string;
  label: string;
  kind?: 'text' | 'time';
  options?: readonly { value: string; label: string }[];
}

/** The filter is kept in the address. It matches exact values: the server finds them by index. */
export function FilterBar({ filters, verb = 'Find' }: { filters: readonly Filter[]; verb?: string }) {
  const isAny = filters.some(({ name }) => query.value.has(name));
  return (
    <form
      class="filter-bar"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        const given = new FormData(event.currentTarget);
        changeQuery({
          cursor: null,
          ...Object.fromEntries(filters.map((filter) => [filter.name, read(given, filter)])),
        });
      }}
    >
      {filters.map((filter) => (
        <FilterField key={`${filter.name} ${query.value.get(filter.name)}`} filter={filter} />
      ))}
      <div class="actions">
        <Button type="submit" icon="search">
          {verb}
        </Button>
        {isAny && (
          <Button
            onClick={() =>
              changeQuery({ cursor: null, ...Object.fromEntries(filters.map(({ name }) => [name, null])) })
            }
          >
            Clear
          </Button>
        )}
      </div>
    </form>
  );
}

function FilterField({ filter: { name, label, kind = 'text', options } }: { filter: Filter }) {
  const given = query.value.get(name) ?? '';
  const [value, setValue] = useState(kind === 'time' && given ? toLocalInput(given) : given);
  return (
    <label class="field">
      <span class="field-label">{label}</span>
      {options ? (
        <select
          class="input"
          name={name}
          value={value}
          onChange={(event) => changeQuery({ [name]: event.currentTarget.value, cursor: null })}
        >
          <option value="">Any</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      ) : (
        <input
          class={value === '' ? 'input is-empty' : 'input'}
          name={name}
          {...(kind === 'time' ? { type: 'datetime-local' as const } : { type: 'text' as const })}
          autocomplete="off"
          spellcheck={false}
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
      )}
    </label>
  );
}

function read(given: FormData, { name, kind }: Filter): string {
  const text = (given.get(name) as string).trim();
  return kind === 'time' && text ? new Date(text).toISOString() : text;
}

/** The format of a `datetime-local` input. */
function toLocalInput(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime())
    ? ''
    : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
