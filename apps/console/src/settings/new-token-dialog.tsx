import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { CreatedToken, Role } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { CodeBlock } from '../elements/code-block.tsx';
import { CopyButton } from '../elements/copy-button.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { Field } from '../elements/field.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { tenantId as viewedTenant } from '../session/session.ts';

export function NewTokenDialog({ onClose, onMade }: { onClose: () => void; onMade: () => void }) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('tenant-admin');
  const [tenantId, setTenantId] = useState(viewedTenant.value ?? '');
  const [token, setToken] = useState<string>();
  const { run, isRunning, problem } = useAction(async () => {
    const body = { name: name.trim(), role, ...(role === 'tenant-admin' && { tenantId: tenantId.trim() }) };
    setToken((await ask<CreatedToken>('/tokens', { method: 'POST', body })).token);
    onMade();
  });
  if (token) {
    return (
      <Dialog title="The new token" onClose={onClose}>
        <p class="muted">It is shown this once; only its hash is kept.</p>
        <CodeBlock text={token} label="token" />
        <div class="actions is-end">
          <CopyButton text={token}>Copy token</CopyButton>
          <Button kind="primary" onClick={onClose}>
            I have stored it
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label="Name" hint="The ledger names whoever uses it by this." error={problem?.fields.get('name')}>
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              autofocus
              maxLength={120}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Role" error={problem?.fields.get('role')}>
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={role}
              onChange={(event) => setRole(event.currentTarget.value as Role)}
            >
              <option value="tenant-admin">Tenant admin: one tenant</option>
              <option value="operator">Operator: all tenants</option>
            </select>
          )}
        </Field>
        {role === 'tenant-admin' && (
          <Field label="Tenant" error={problem?.fields.get('tenantId')}>
            {(attributes) => (
              <input
                {...attributes}
                class="input"
                spellcheck={false}
                value={tenantId}
                onInput={(event) => setTenantId(event.currentTarget.value)}
              />
            )}
          </Field>
        )}
        {problem && problem.fields.size === 0 && <ProblemNotice problem={problem} />}
        <div class="actions is-end">
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="primary" type="submit" isBusy={isRunning} disabled={name.trim() === ''}>
            Make token
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
