import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { Facts } from '../elements/facts.tsx';
import { isOperator, session } from '../session/session.ts';
import { ThemeSwitch } from '../theme/theme-switch.tsx';
import { TokenPanel } from './token-panel.tsx';

export function SettingsPage() {
  const who = session.value;
  return (
    <>
      <PageHeader title="Settings" lead="Who may come in, and how it looks." />
      <Panel title="This session">
        <Facts
          facts={[
            ['Signed in as', who?.name],
            ['Role', who?.role === 'operator' ? 'Operator: all tenants' : 'Tenant admin: one tenant'],
            ['Tenant', who?.tenantId ?? 'all'],
            ['Colours', <ThemeSwitch />],
          ]}
        />
      </Panel>
      {isOperator.value ? (
        <TokenPanel />
      ) : (
        <Panel title="Tokens">
          <p class="muted">Tokens are made and revoked by operators.</p>
        </Panel>
      )}
    </>
  );
}
