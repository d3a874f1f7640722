import type { Page, Tenant } from '../connection/responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Field } from '../elements/field.tsx';
import { isOperator } from '../session/session.ts';
import type { DraftProps } from './draft-props.ts';
import { TypeField } from './type-field.tsx';

export function WhereFields({ draft, change, mistakeAt, isNew }: DraftProps & { isNew: boolean }) {
  return (
    <div class="stack">
      {isNew && isOperator.value && <TenantField draft={draft} change={change} mistakeAt={mistakeAt} />}
      <Field label="Name" hint="What people call it." error={mistakeAt('name')}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            autocomplete="off"
            value={draft.name}
            onInput={(event) => change({ name: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="URL" hint="Webhooks are sent there by POST." error={mistakeAt('url')}>
        {(attributes) => (
          <input
            {...attributes}
            class="input"
            type="url"
            inputMode="url"
            autocomplete="off"
            placeholder="https://example.com/webhooks"
            value={draft.url}
            onInput={(event) => change({ url: event.currentTarget.value })}
          />
        )}
      </Field>
      <TypeField draft={draft} change={change} mistakeAt={mistakeAt} />
      {isOperator.value && (
        <label class="check">
          <input
            type="checkbox"
            checked={draft.isExternal}
            onChange={(event) => change({ isExternal: event.currentTarget.checked })}
          />
          <span>
            External
            <small>Gets only what the privacy policy lets out. Internal endpoints get payloads whole.</small>
          </span>
        </label>
      )}
    </div>
  );
}

function TenantField({ draft, change, mistakeAt }: DraftProps) {
  const { data } = useResponse<Page<Tenant>>('/tenants', { limit: 200 });
  return (
    <Field label="Tenant" hint="Whose events it gets." error={mistakeAt('tenantId')}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            class="input"
            list="known-tenants"
            autocomplete="off"
            spellcheck={false}
            value={draft.tenantId}
            onInput={(event) => change({ tenantId: event.currentTarget.value.trim() })}
          />
          <datalist id="known-tenants">
            {data?.items.map(({ tenantId }) => (
              <option key={tenantId} value={tenantId} />
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}
