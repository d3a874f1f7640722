import { ask } from '../connection/admin-api.ts';
import { useState } from 'preact/hooks';
import type { ChangedEndpoint, Endpoint, ShownSecret } from '../connection/endpoint-responses.ts';
import { useResponse } from '../connection/use-response.ts';
import { Dialog } from '../elements/dialog.tsx';
import { Loaded } from '../elements/loaded.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { toast } from '../elements/toasts.tsx';
import { hrefOf, navigate } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { changesOf, draftOf, type Draft } from './endpoint-draft.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { hostOf, loadEndpointNames } from './endpoint-names.ts';
import { ShowSecret } from './show-secret.tsx';

export function EditEndpointPage({ id }: { id: string }) {
  const endpoint = useResponse<Endpoint>(`/endpoints/${id}`);
  const [shown, setShown] = useState<ShownSecret>();
  const home = hrefOf(`/endpoints/${id}`);
  const leave = () => navigate(home);
  const save = async (before: Endpoint, draft: Draft) => {
    const body = changesOf(before, draft);
    if (Object.keys(body).length === 0) return leave();
    const response = await ask<ChangedEndpoint>(`/endpoints/${id}`, { method: 'PATCH', body });
    void loadEndpointNames(tenantId.value);
    toast('good', 'Saved.');
    if (response.secret || response.publicKey) setShown(response);
    else leave();
  };
  return (
    <>
      <PageHeader
        title={`Edit ${endpoint.data ? (endpoint.data.name ?? hostOf(endpoint.data.url)) : 'endpoint'}`}
        back={{ href: home, label: 'Endpoint' }}
      />
      <Loaded response={endpoint}>
        {(data) => (
          <EndpointForm start={draftOf(data)} isNew={false} onSave={(draft) => save(data, draft)} onLeave={leave} />
        )}
      </Loaded>
      {shown && (
        <Dialog title="The new secret" onClose={leave}>
          <ShowSecret shown={shown} />
        </Dialog>
      )}
    </>
  );
}
