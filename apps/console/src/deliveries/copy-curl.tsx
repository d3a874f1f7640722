import { ask } from '../connection/admin-api.ts';
import type { DeliveryStory, SentBody } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { toast } from '../elements/toasts.tsx';
import { buildCurl } from './build-curl.ts';

/** The body is rendered on demand, so the text is built on click. */
export function CopyCurl({ delivery, endpoint }: { delivery: DeliveryStory; endpoint: Endpoint }) {
  const last = delivery.attemptLog.at(-1);
  const { run, isRunning } = useAction(async () => {
    try {
      const query = { attempt: last?.attempt };
      const { body, reason } = await ask<SentBody>(`/deliveries/${delivery.deliveryId}/body`, { query });
      if (body === null) {
        return toast('bad', reason ?? 'What was sent can no longer be rendered.');
      }
      await navigator.clipboard.writeText(buildCurl(endpoint, delivery, body));
      toast('good', 'Copied. It sends the same body without a signature.');
    } catch (error) {
      toast('bad', (error as Error).message);
    }
  });
  return (
    <Button icon="copy" isBusy={isRunning} disabled={!last} onClick={() => void run()}>
      Copy curl
    </Button>
  );
}
