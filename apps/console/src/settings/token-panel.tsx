import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Page, Token } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { useResponse } from '../connection/use-response.ts';
import { Button } from '../elements/button.tsx';
import { DataTable, type Column } from '../elements/data-table.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { EmptyState } from '../elements/empty-state.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { Pager } from '../elements/pager.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { ShortId } from '../elements/short-id.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { Ago } from '../elements/time.tsx';
import { toast } from '../elements/toasts.tsx';
import { query } from '../navigation/location.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';

export function TokenPanel() {
  const tokens = useResponse<Page<Token>>('/tokens', { cursor: query.value.get('cursor') });
  const [isMaking, setMaking] = useState(false);
  const [toRevoke, setToRevoke] = useState<Token>();
  return (
    <>
      <Panel
        title="Tokens"
        actions={
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            New token
          </Button>
        }
      >
        <Loaded response={tokens}>
          {({ items, nextCursor }) => (
            <>
              {items.length > 0 ? (
                <DataTable
                  label="Tokens"
                  columns={columnsWith(setToRevoke)}
                  rows={items}
                  keyOf={({ tokenId }) => tokenId}
                />
              ) : (
                <EmptyState icon="key" title="No tokens besides the configured one">
                  Make one per person or program, so that each can be revoked alone.
                </EmptyState>
              )}
              <Pager nextCursor={nextCursor} />
            </>
          )}
        </Loaded>
      </Panel>
      {isMaking && <NewTokenDialog onClose={() => setMaking(false)} onMade={tokens.reload} />}
      {toRevoke && <RevokeDialog token={toRevoke} onClose={() => setToRevoke(undefined)} onRevoked={tokens.reload} />}
    </>
  );
}

function columnsWith(onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    { label: 'Name', cell: ({ name }) => <strong>{name}</strong> },
    { label: 'Role', cell: ({ role }) => (role === 'operator' ? 'Operator' : 'Tenant admin') },
    { label: 'Tenant', cell: ({ tenantId }) => (tenantId ? <ShortId id={tenantId} /> : 'all') },
    {
      label: 'Made',
      cell: ({ createdAt, createdBy }) => (
        <>
          <Ago at={createdAt} /> by {createdBy}
        </>
      ),
    },
    {
      label: 'State',
      cell: (token) => <TokenState token={token} />,
    },
    {
      label: 'Change',
      cell: (token) =>
        token.revokedAt ? <span class="muted">–</span> : <Button onClick={() => onRevoke(token)}>Revoke</Button>,
    },
  ];
}

function TokenState({ token: { revokedAt, expiresAt } }: { token: Token }) {
  if (revokedAt) return <Badge tone="quiet">Revoked</Badge>;
  if (!expiresAt) return <Badge tone="good">Valid</Badge>;
  const isOver = Date.parse(expiresAt) <= Date.now();
  return (
    <>
      <Badge tone={isOver ? 'quiet' : 'good'}>{isOver ? 'Expired' : 'Valid'}</Badge>{' '}
      <span class="muted">
        {isOver ? '' : 'ends '}
        <Ago at={expiresAt} />
      </span>
    </>
  );
}

interface RevokeDialogProps {
  token: Token;
  onClose: () => void;
  onRevoked: () => void;
}

function RevokeDialog({ token, onClose, onRevoked }: RevokeDialogProps) {
  const { run, isRunning, problem } = useAction(async () => {
    await ask(`/tokens/${token.tokenId}`, { method: 'DELETE' });
    toast('good', `${token.name} is revoked.`);
    onRevoked();
    onClose();
  });
  return (
    <Dialog title={`Revoke ${token.name}?`} onClose={onClose}>
      <p class="muted">Whoever uses it is refused from now on. It cannot be taken back.</p>
      {problem && <ProblemNotice problem={problem} />}
      <div class="actions is-end">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind="danger" isBusy={isRunning} onClick={() => void run()}>
          Revoke
        </Button>
      </div>
    </Dialog>
  );
}
