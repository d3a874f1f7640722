import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button, ButtonLink } from '../elements/button.tsx';
import { toast } from '../elements/toasts.tsx';
import { hrefOf } from '../navigation/location.ts';
import { DeleteDialog } from './delete-dialog.tsx';
import { RotateDialog } from './rotate-dialog.tsx';

interface EndpointActionsProps {
  endpoint: Endpoint;
  onChanged: () => void;
}

export function EndpointActions({ endpoint, onChanged }: EndpointActionsProps) {
  const [shown, setShown] = useState<'rotate' | 'delete'>();
  const { endpointId, isEnabled } = endpoint;
  const toggle = useAction(async () => {
    try {
      await ask(`/endpoints/${endpointId}`, { method: 'PATCH', body: { isEnabled: !isEnabled } });
      toast('good', isEnabled ? 'Disabled: what is open is parked.' : 'Enabled: what was parked goes on.');
      onChanged();
    } catch (error) {
      toast('bad', (error as Error).message);
    }
  });
  return (
    <>
      <Button icon={isEnabled ? 'pause' : 'play'} isBusy={toggle.isRunning} onClick={() => void toggle.run()}>
        {isEnabled ? 'Disable' : 'Enable'}
      </Button>
      <Button icon="key" onClick={() => setShown('rotate')}>
        Rotate secret
      </Button>
      <Button icon="trash" onClick={() => setShown('delete')}>
        Delete
      </Button>
      <ButtonLink kind="primary" href={hrefOf(`/endpoints/${endpointId}/edit`)}>
        Edit
      </ButtonLink>
      {shown === 'rotate' && <RotateDialog endpointId={endpointId} onClose={() => setShown(undefined)} />}
      {shown === 'delete' && <DeleteDialog endpoint={endpoint} onClose={() => setShown(undefined)} />}
    </>
  );
}
