import { computed, signal } from '@preact/signals';
import { ask, credentials } from '../connection/admin-api.ts';
import type { Session } from '../connection/answers.ts';
import { query } from '../navigation/location.ts';

/** Gone with the tab; nothing that outlives it ever holds the token. */
const KEY = 'kernel-console-token';

export const session = signal<Session | null>(null);
/** Why there is none, where that needs saying. */
export const notice = signal<string | null>(null);

/** The one tenant that is looked at; null means all, which only an operator sees. */
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
    // A token that was refused is forgotten; one that nobody could be asked about is tried again with the next load.
    credentials.token = null;
    throw error;
  }
}

export function signOut(): void {
  credentials.token = null;
  session.value = null;
  sessionStorage.removeItem(KEY);
}

/** By the one-time code of the printed link, else by the token that this tab has. */
export async function resumeSession(code: string | null): Promise<void> {
  const kept = sessionStorage.getItem(KEY);
  if (code !== null) {
    const { token } = await ask<{ token: string }>('/session', { method: 'POST', body: { code } });
    await signIn(token);
  } else if (kept !== null) {
    await signIn(kept);
  }
}
