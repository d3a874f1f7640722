import { DispatcherConfigurationError } from '../eventbus.errors.js';
import { hasSpaceOrControl, hasUserinfo } from '@kernel/outgoing-http';
import type { Destination, Handoff, SendRequest, WebhookDispatcher } from './webhook-dispatcher.js';

/** Default schemes of a dispatcher. The outgoing guard vets them for every dispatcher. */
const WEB_SCHEMES: readonly string[] = ['https:', 'http:'];

const WELL_FORMED = /^[a-z][a-z0-9+.-]*:$/;

/** In lower case, with its colon; empty if there is none. */
export function schemeOf(url: string): string {
  return URL.parse(url)?.protocol ?? '';
}

export function isWebScheme(scheme: string): boolean {
  return WEB_SCHEMES.includes(scheme);
}

export function schemesOf({ schemes = WEB_SCHEMES }: WebhookDispatcher): readonly string[] {
  return schemes;
}

/** Reason why the dispatcher cannot send to a url that the guard does not vet; undefined: it can. */
export async function refuseDestination(
  dispatcher: WebhookDispatcher,
  destination: Destination,
): Promise<string | undefined> {
  const { url } = destination;
  const scheme = schemeOf(url);
  if (!schemesOf(dispatcher).includes(scheme)) {
    return `the dispatcher '${dispatcher.name}' takes ${schemesOf(dispatcher).join(' and ')} urls, not ${scheme}`;
  }
  if (hasSpaceOrControl(url)) {
    return 'the URL contains a space or a control character';
  }
  if (hasUserinfo(url)) {
    return 'a user name or password in the URL is refused: credentials belong to the settings of the dispatcher';
  }
  return isWebScheme(scheme) ? undefined : dispatcher.checkDestination?.(destination);
}

/** Checks each request of a dispatcher with schemes of its own when it is sent: middleware may have changed the url. */
export function checkBeforeSending(dispatcher: WebhookDispatcher, handoff: Handoff): Handoff {
  if (!dispatcher.schemes) {
    return handoff;
  }
  const { delivery, signal } = handoff;
  const checked =
    (send: SendRequest): SendRequest =>
    async (request) => {
      const message = await refuseDestination(dispatcher, { url: request.url, tenantId: delivery.tenantId });
      return message ? { kind: 'failure', errorClass: 'guard', message, latencyMs: 0 } : send(request);
    };
  return { delivery, signal, invoke: (send) => handoff.invoke(send && checked(send)) };
}

export function requireUsableSchemes(dispatcher: WebhookDispatcher): void {
  const { name, schemes } = dispatcher;
  if (!schemes) {
    return;
  }
  const malformed = schemes.find((scheme) => !WELL_FORMED.test(scheme));
  if (schemes.length === 0 || malformed !== undefined) {
    throw new DispatcherConfigurationError(
      `the dispatcher '${name}' takes ${malformed === undefined ? 'no scheme' : `the scheme '${malformed}'`}: list them like 'queue:'`,
    );
  }
  const own = schemes.find((scheme) => !isWebScheme(scheme));
  if (own && !dispatcher.checkDestination) {
    throw new DispatcherConfigurationError(
      `the dispatcher '${name}' takes ${own} urls, which nobody vets: give it checkDestination`,
    );
  }
}
