import { effect, signal } from '@preact/signals';
import { ask } from '../connection/admin-api.ts';
import type { Page } from '../connection/responses.ts';
import type { Endpoint } from '../connection/endpoint-responses.ts';
import { session, tenantId } from '../session/session.ts';

/** Names of the visible endpoints by id; without a name, the host. */
export const endpointNames = signal<ReadonlyMap<string, string>>(new Map());

effect(() => {
  if (session.value) {
    void loadEndpointNames(tenantId.value);
  }
});

/** Called again after a change. Names are optional: without them ids are shown. */
export async function loadEndpointNames(ofTenant: string | null): Promise<void> {
  try {
    const { items } = await ask<Page<Endpoint>>('/endpoints', { query: { tenantId: ofTenant, limit: 200 } });
    endpointNames.value = new Map(items.map(({ endpointId, name, url }) => [endpointId, name ?? hostOf(url)]));
  } catch {
    endpointNames.value = new Map();
  }
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
