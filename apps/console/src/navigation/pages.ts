import type { ComponentType } from 'preact';
import { DeadLettersPage } from '../dead-letters/dead-letters-page.tsx';
import { DeliveriesPage } from '../deliveries/deliveries-page.tsx';
import { DeliveryPage } from '../deliveries/delivery-page.tsx';
import type { IconName } from '../elements/icon.tsx';
import { EditEndpointPage } from '../endpoints/edit-endpoint-page.tsx';
import { EndpointPage } from '../endpoints/endpoint-page.tsx';
import { EndpointsPage } from '../endpoints/endpoints-page.tsx';
import { NewEndpointPage } from '../endpoints/new-endpoint-page.tsx';
import { EventPage } from '../events/event-page.tsx';
import { EventsPage } from '../events/events-page.tsx';
import { LanesPage } from '../lanes/lanes-page.tsx';
import { LedgerPage } from '../ledger/ledger-page.tsx';
import { OverviewPage } from '../overview/overview-page.tsx';
import { PoliciesPage } from '../policies/policies-page.tsx';
import { PolicyPage } from '../policies/policy-page.tsx';
import { SettingsPage } from '../settings/settings-page.tsx';

export interface Section {
  to: string;
  label: string;
  icon: IconName;
}

/** The entries of the side bar, in order. */
export const SECTIONS: readonly Section[] = [
  { to: '/', label: 'Overview', icon: 'pulse' },
  { to: '/events', label: 'Events', icon: 'event' },
  { to: '/deliveries', label: 'Deliveries', icon: 'send' },
  { to: '/endpoints', label: 'Endpoints', icon: 'endpoint' },
  { to: '/dead-letters', label: 'Dead letters', icon: 'inbox' },
  { to: '/lanes', label: 'Lanes', icon: 'lanes' },
  { to: '/policies', label: 'Policies', icon: 'shield' },
  { to: '/ledger', label: 'Ledger', icon: 'ledger' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

/** The first match is shown. */
export const PAGES: readonly [pattern: string, page: ComponentType<{ id: string }>][] = [
  ['/', OverviewPage],
  ['/events', EventsPage],
  ['/events/:id', EventPage],
  ['/deliveries', DeliveriesPage],
  ['/deliveries/:id', DeliveryPage],
  ['/endpoints', EndpointsPage],
  ['/endpoints/new', NewEndpointPage],
  ['/endpoints/:id', EndpointPage],
  ['/endpoints/:id/edit', EditEndpointPage],
  ['/dead-letters', DeadLettersPage],
  ['/lanes', LanesPage],
  ['/policies', PoliciesPage],
  ['/policies/:id', PolicyPage],
  ['/ledger', LedgerPage],
  ['/settings', SettingsPage],
];
