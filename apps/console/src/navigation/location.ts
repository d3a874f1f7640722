import { computed, signal } from '@preact/signals';
import { toSearch, type Query } from '../connection/admin-api.ts';
import { pageSettings } from '../page-settings.ts';

export const BASE = pageSettings.path;

const current = signal(readAddress());

/** Within the console: `/deliveries/…`. */
export const path = computed(() => current.value.path);
export const query = computed(() => current.value.query);

addEventListener('popstate', () => (current.value = readAddress()));

/** The address of a page. Keeps the selected tenant, unless the query names another or null. */
export function hrefOf(to: string, wanted: Query = {}): string {
  return `${BASE}${to === '/' ? '' : to}${toSearch({ tenantId: query.value.get('tenantId'), ...wanted })}`;
}

export function navigate(href: string, { replace = false } = {}): void {
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  current.value = readAddress();
  if (!replace) scrollTo(0, 0);
}

/** Changes the query of the current page; null and empty values are removed. */
export function changeQuery(changes: Query, options: { replace?: boolean } = {}): void {
  navigate(`${location.pathname}${toSearch({ ...Object.fromEntries(query.value), ...changes })}`, options);
}

/** Links within the console change the page without a reload. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a');
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    const isOurs = link?.origin === location.origin && `${link.pathname}/`.startsWith(`${BASE}/`) && !link.target;
    const isWithinPage = link?.getAttribute('href')?.startsWith('#');
    if (isPlain && isOurs && !isWithinPage && !event.defaultPrevented) {
      event.preventDefault();
      navigate(link.href);
    }
  });
}

function readAddress() {
  const within = location.pathname.slice(BASE.length).replace(/\/+$/, '');
  return { path: within || '/', query: new URLSearchParams(location.search) };
}
