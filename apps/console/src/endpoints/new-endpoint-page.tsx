import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { CreatedEndpoint } from '../connection/endpoint-responses.ts';
import { ButtonLink } from '../elements/button.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Panel } from '../elements/panel.tsx';
import { hrefOf, navigate } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { newDraft, settingsOf, type Draft } from './endpoint-draft.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { loadEndpointNames } from './endpoint-names.ts';
import { ShowSecret } from './show-secret.tsx';

export function NewEndpointPage() {
  const [created, setCreated] = useState<CreatedEndpoint>();
  const create = async (draft: Draft) => {
    const body = { tenantId: draft.tenantId, ...settingsOf(draft) };
    setCreated(await ask<CreatedEndpoint>('/endpoints', { method: 'POST', body }));
    void loadEndpointNames(tenantId.value);
  };
  if (created) {
    return <Created endpoint={created} />;
  }
  return (
    <>
      <PageHeader title="New endpoint" back={{ href: hrefOf('/endpoints'), label: 'Endpoints' }} />
      <EndpointForm
        start={newDraft(tenantId.value ?? '')}
        isNew
        onSave={create}
        onLeave={() => navigate(hrefOf('/endpoints'))}
      />
    </>
  );
}

function Created({ endpoint }: { endpoint: CreatedEndpoint }) {
  return (
    <>
      <PageHeader title="The endpoint is ready" lead={endpoint.url}>
        <ButtonLink kind="primary" href={hrefOf(`/endpoints/${endpoint.endpointId}`)}>
          Open endpoint
        </ButtonLink>
      </PageHeader>
      <Panel title={endpoint.secret ? 'Signing secret' : 'Public key'}>
        <ShowSecret shown={endpoint} />
      </Panel>
    </>
  );
}
