import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { liveNow } from '../connection/live-stream.ts';
import { Icon } from '../elements/icon.tsx';
import { TenantSwitcher } from '../session/tenant-switcher.tsx';
import { ThemeSwitch } from '../theme/theme-switch.tsx';
import { hrefOf, path } from './location.ts';
import { SECTIONS, type Section } from './pages.ts';
import { LiveBadge } from './live-badge.tsx';
import { WhoAmI } from './who-am-i.tsx';
import './side-bar.css';

/** Beside the page; on a phone above it, opened by a button. */
export function SideBar() {
  const isOpen = useSignal(false);
  useEffect(() => path.subscribe(() => (isOpen.value = false)), []);
  return (
    <header class={isOpen.value ? 'side-bar is-open' : 'side-bar'}>
      <div class="side-bar-top">
        <a class="brand" href={hrefOf('/')}>
          <span class="brand-mark" aria-hidden="true">
            <Icon name="brand" />
          </span>
          Kernel
        </a>
        <LiveBadge />
        <button
          type="button"
          class="icon-button menu-button"
          aria-expanded={isOpen.value}
          aria-controls="menu"
          aria-label="Menu"
          onClick={() => (isOpen.value = !isOpen.value)}
        >
          <Icon name={isOpen.value ? 'close' : 'menu'} />
        </button>
      </div>
      <div class="side-bar-body" id="menu">
        <TenantSwitcher />
        <nav aria-label="Sections">
          <ul>
            {SECTIONS.map((section) => (
              <li key={section.to}>
                <SectionLink {...section} />
              </li>
            ))}
          </ul>
        </nav>
        <div class="side-bar-foot">
          <ThemeSwitch />
          <WhoAmI />
        </div>
      </div>
    </header>
  );
}

function SectionLink({ to, label, icon }: Section) {
  const isHere = to === '/' ? path.value === '/' : `${path.value}/`.startsWith(`${to}/`);
  return (
    <a href={hrefOf(to)} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      {label}
      <Alarm section={to} />
    </a>
  );
}

/** Number of items that need an operator. */
function Alarm({ section }: { section: string }) {
  const now = liveNow.value;
  const count = section === '/dead-letters' ? now?.deadLetters : section === '/lanes' ? now?.blockedLanes : undefined;
  return count ? <span class="alarm">{count > 999 ? '999+' : count}</span> : null;
}
