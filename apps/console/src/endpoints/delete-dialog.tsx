import { ask } from '../connection/admin-api.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Dialog } from '../elements/dialog.tsx';
import { ProblemNotice } from '../elements/problem-notice.tsx';
import { toast } from '../elements/toasts.tsx';
import { hrefOf, navigate } from '../navigation/location.ts';
import { tenantId } from '../session/session.ts';
import { loadEndpointNames } from './endpoint-names.ts';

export function DeleteDialog({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { run, isRunning, problem } = useAction(async () => {
    await ask(`/endpoints/${endpoint.endpointId}`, { method: 'DELETE' });
    toast('good', 'Deleted. Its history stays.');
    await loadEndpointNames(tenantId.value);
    navigate(hrefOf('/endpoints'));
  });
  return (
    <Dialog title="Delete this endpoint?" onClose={onClose}>
      <p class="muted">
        Deliveries that are still open go to the dead letters and cannot be replayed. What was delivered stays on
        record. To stop it for a while, disable it instead.
      </p>
      {problem && <ProblemNotice problem={problem} />}
      <div class="actions is-end">
        <Button onClick={onClose}>Leave it</Button>
        <Button kind="danger" isBusy={isRunning} onClick={() => void run()}>
          Delete
        </Button>
      </div>
    </Dialog>
  );
}
