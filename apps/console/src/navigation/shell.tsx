import { useEffect } from 'preact/hooks';
import { followStream } from '../connection/live-stream.ts';
import { EmptyState } from '../elements/empty-state.tsx';
import { PageHeader } from '../elements/page-header.tsx';
import { Toasts } from '../elements/toasts.tsx';
import { tenantId } from '../session/session.ts';
import { hrefOf, path } from './location.ts';
import { matchPath } from './match-path.ts';
import { PAGES } from './pages.ts';
import { SideBar } from './side-bar.tsx';

/** Frame of every page after sign-in. */
export function Shell() {
  const tenant = tenantId.value;
  useEffect(() => followStream(tenant), [tenant]);
  return (
    <>
      <a class="skip-link" href="#page">
        Skip to the page
      </a>
      <div class="shell">
        <SideBar />
        <main id="page" tabIndex={-1}>
          <CurrentPage />
        </main>
      </div>
      <Toasts />
    </>
  );
}

function CurrentPage() {
  for (const [pattern, Page] of PAGES) {
    const parameters = matchPath(pattern, path.value);
    if (parameters) {
      return <Page key={path.value} id={parameters.id ?? ''} />;
    }
  }
  return (
    <>
      <PageHeader title="There is no such page" />
      <EmptyState icon="search" title="The address leads nowhere">
        <a href={hrefOf('/')}>Go to the overview</a>
      </EmptyState>
    </>
  );
}
