import { effect, signal } from '@preact/signals';
import { ask } from '../connection/admin-api.ts';
import type { Page } from '../connection/answers.ts';
import type { Endpoint } from '../connection/endpoint-answers.ts';
import { session, tenantId } from '../session/session.ts';

/** Of the endpoints that are looked at, by id; those without a name go by their host. */
export const endpointNames = signal<ReadonlyMap<string, string>>(new Map());

effect(() => {
  if (session.value) {
    void loadEndpointNames(tenantId.value);
  }
});

/** Also after one was made or renamed. Names are an aid: without them ids are shown. */
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
