/** Paths on a 20 by 20 grid, stroke width 1.5. */
const PATHS = {
  brand: 'M3 10h4.5M12 4.5 7.5 10l4.5 5.5M12 4.5h5M12 15.5h5',
  pulse: 'M2.5 10.5H6l2.5-6 3.5 11 2.5-5h3',
  event: 'M10 2.5 17 6v8l-7 3.5L3 14V6zM3 6l7 3.5L17 6M10 9.5v8',
  send: 'M17.5 2.5 9 11M17.5 2.5 12 17.5l-3-6.5-6.5-3z',
  endpoint: 'M4 4h12v5H4zM4 11h12v5H4zM7 6.5h.01M7 13.5h.01',
  inbox: 'M3 11 5.5 4h9L17 11v5H3zM3 11h4l1 2h4l1-2h4',
  lanes: 'M3 5h10M3 10h14M3 15h7M13 3l2.5 2L13 7',
  shield: 'M10 2.5 16 5v5c0 4-2.5 6.5-6 7.5C6.5 16.5 4 14 4 10V5zM7.5 10l2 2 3.5-4',
  ledger: 'M5 2.5h10v15H5zM8 6.5h4M8 10h4M8 13.5h2',
  settings: 'M3 6h7M14 6h3M3 14h3M10 14h7M12 4v4M8 12v4',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  close: 'M5 5l10 10M15 5 5 15',
  'sign-out': 'M8 3.5H4v13h4M12.5 6.5 16 10l-3.5 3.5M16 10H8',
  sun: 'M10 7a3 3 0 1 0 0 6 3 3 0 0 0 0-6M10 2v1.5M10 16.5V18M2 10h1.5M16.5 10H18M4.5 4.5l1 1M14.5 14.5l1 1M4.5 15.5l1-1M14.5 5.5l1-1',
  moon: 'M16 12.5A6.5 6.5 0 0 1 7.5 4a6.5 6.5 0 1 0 8.5 8.5',
  screen: 'M3 4h14v9H3zM7 16.5h6M10 13v3.5',
  search: 'M9 3.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M13 13l4 4',
  plus: 'M10 4v12M4 10h12',
  copy: 'M7 7h9v9H7zM13 7V4H4v9h3',
  check: 'M4 10.5 8 14.5 16 6',
  alert: 'M10 3 18 16.5H2zM10 8v4M10 14.2v.01',
  replay: 'M4 10a6 6 0 1 1 2 4.5M4 10 2.5 7.5M4 10l2.7-1.5',
  chevron: 'M7.5 5l5 5-5 5',
  back: 'M12.5 5l-5 5 5 5',
  filter: 'M3 5h14M6 10h8M8.5 15h3',
  trash: 'M4 6h12M8 6V3.5h4V6M5.5 6l.7 10.5h7.6L14.5 6',
  external: 'M11 3.5h5.5V9M16.5 3.5 9 11M14.5 11.5v5h-11v-11h5',
  key: 'M7 9.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M9.2 10.5 16.5 3.5M13.5 6.5l2 2',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6.5 4 15 10l-8.5 6z',
  clock: 'M10 2.5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15M10 6v4l2.5 2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
