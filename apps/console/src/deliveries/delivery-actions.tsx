import { useState } from 'preact/hooks';
import { ask } from '../connection/admin-api.ts';
import type { DeliveryStory } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { Button, ButtonLink } from '../elements/button.tsx';
import { ReasonDialog } from '../elements/reason-dialog.tsx';
import { toast } from '../elements/toasts.tsx';
import { hrefOf } from '../navigation/location.ts';
import { CopyCurl } from './copy-curl.tsx';

interface DeliveryActionsProps {
  delivery: DeliveryStory;
  endpoint: Endpoint | undefined;
  onReplayed: () => void;
}

export function DeliveryActions({ delivery, endpoint, onReplayed }: DeliveryActionsProps) {
  const [isAsking, setAsking] = useState(false);
  const isSettled = delivery.status === 'DELIVERED' || delivery.status === 'DLQ';
  const replay = async (reason: string) => {
    await ask(`/deliveries/${delivery.deliveryId}/replay`, { method: 'POST', body: { reason } });
    toast('good', 'It is on its way again.');
    onReplayed();
  };
  return (
    <>
      {endpoint && <CopyCurl delivery={delivery} endpoint={endpoint} />}
      <ButtonLink icon="endpoint" href={hrefOf(`/endpoints/${delivery.endpointId}`)}>
        Open endpoint
      </ButtonLink>
      <Button
        kind="primary"
        icon="replay"
        disabled={!isSettled}
        title={isSettled ? undefined : 'Only what is delivered or dead-lettered can be replayed'}
        onClick={() => setAsking(true)}
      >
        Replay
      </Button>
      {isAsking && (
        <ReasonDialog title="Replay this delivery" verb="Replay" onConfirm={replay} onClose={() => setAsking(false)}>
          The same event goes to the same endpoint again, redacted under the current policy and signed with the current
          secret. Attempts are counted anew.
        </ReasonDialog>
      )}
    </>
  );
}
