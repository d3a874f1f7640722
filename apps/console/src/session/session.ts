import { computed, signal } from '@preact/signals';
import { ask, credentials } from '../connection/admin-api.ts';
import type { Session, SignedIn } from '../connection/responses.ts';
import { query } from '../navigation/location.ts';

/** In sessionStorage, which ends with the tab; the token is never stored anywhere longer. */
const KEY = 'kernel-console-token';

export const session = signal<Session | null>(null);
/** Reason why there is no session, if it needs to be shown. */
export const notice = signal<string | null>(null);

/** The selected tenant; null means all, which only an operator can see. */
export const tenantId = computed(() => session.value?.tenantId ?? query.value.get('tenantId'));
export const isOperator = computed(() => session.value?.role === 'operator');

credentials.onRefused = () => {
  signOut();
  notice.value = 'The token is no longer accepted. Sign in again.';
};

export async function signIn(token: string): Promise<void> {
  credentials.token = token;
  try {
    session.value = await ask<Session>('/session');
    sessionStorage.setItem(KEY, token);
    notice.value = null;
  } catch (error) {
    // A refused token is dropped; one that could not be checked is tried again with the next load.
    credentials.token = null;
    throw error;
  }
}

export function signOut(): void {
  credentials.token = null;
  session.value = null;
  sessionStorage.removeItem(KEY);
}

/** Uses the one-time code of the printed link, else the token of this tab. */
export async function resumeSession(code: string | null): Promise<void> {
  const kept = sessionStorage.getItem(KEY);
  if (code !== null) {
    const { token } = await ask<SignedIn>('/session', { method: 'POST', body: { code } });
    await signIn(token);
  } else if (kept !== null) {
    await signIn(kept);
  }
}
