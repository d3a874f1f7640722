import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Event, Page, Policy, PolicyRule } from '../connection/responses.ts';
import { useAction } from '../connection/use-action.ts';
import { useResponse } from '../connection/use-response.ts';
import { Button } from '../elements/button.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { Badge } from '../elements/status-badge.tsx';
import { toast } from '../elements/toasts.tsx';
import { hrefOf, query } from '../navigation/location.ts';
import { isOperator, session, tenantId } from '../session/session.ts';
import { RuleFields } from './rule-fields.tsx';
import { SideBySide } from './side-by-side.tsx';
import './policies.css';

/** The policy of one type for the owner in the address: a tenant, or the default of the type. */
export function PolicyPage({ id: eventType }: { id: string }) {
  const named = query.value.get('owner') ?? tenantId.value ?? 'default';
  const owner = named === 'default' ? null : named;
  const policies = useResponse<Page<Policy>>('/policies', { tenantId: owner, limit: 200 });
  const stored = policies.data?.items.find((one) => one.eventType === eventType && one.tenantId === owner);
  return (
    <>
      <PageHeader
        title={eventType}
        mark={<Badge tone="quiet">{owner ? 'Of one tenant' : 'Default'}</Badge>}
        lead={
          owner ? `Replaces the default for tenant ${owner}` : 'Holds for every tenant without a policy of its own.'
        }
        back={{ href: hrefOf('/policies'), label: 'Policies' }}
      />
      <Loaded response={policies}>
        {() => (
          <PolicyEditor
            key={stored?.version ?? 0}
            eventType={eventType}
            owner={owner}
            stored={stored}
            onSaved={policies.reload}
          />
        )}
      </Loaded>
    </>
  );
}

interface PolicyEditorProps {
  eventType: string;
  owner: string | null;
  stored: Policy | undefined;
  onSaved: () => void;
}

function PolicyEditor({ eventType, owner, stored, onSaved }: PolicyEditorProps) {
  const [rules, setRules] = useState<PolicyRule[]>(stored?.rules ?? []);
  const isChanged = JSON.stringify(rules) !== JSON.stringify(stored?.rules ?? []);
  const mayEdit = isOperator.value || session.value?.tenantId === owner;
  const events = useResponse<Page<Event>>('/events', { type: eventType, tenantId: owner ?? tenantId.value, limit: 10 });
  const save = useAction(async () => {
    const body = { rules, ...(owner !== null && { tenantId: owner }) };
    await ask(`/policies/${encodeURIComponent(eventType)}`, { method: 'PUT', body });
    toast('good', 'Saved as the next version. It holds from the next attempt on.');
    onSaved();
  });
  return (
    <>
      <Panel
        title={stored ? `Rules, version ${stored.version}` : 'Rules, none stored yet'}
        actions={
          mayEdit && (
            <>
              <Button disabled={!isChanged} onClick={() => setRules(stored?.rules ?? [])}>
                Undo
              </Button>
              <Button kind="primary" disabled={!isChanged} isBusy={save.isRunning} onClick={() => void save.run()}>
                Save
              </Button>
            </>
          )
        }
      >
        {save.problem && <ProblemNotice problem={save.problem} />}
        <RuleFields rules={rules} onChange={setRules} problem={save.problem} isReadOnly={!mayEdit} />
      </Panel>
      <Loaded response={events} lines={4}>
        {({ items }) => <SideBySide eventType={eventType} owner={owner} rules={rules} events={items} />}
      </Loaded>
    </>
  );
}
