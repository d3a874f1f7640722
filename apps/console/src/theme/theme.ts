import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'kernel-console-theme';

export const theme = signal<Theme>(readTheme());
/** Grows whenever colours change, so that what is drawn on a canvas is drawn anew. */
export const repaint = signal(0);

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  localStorage.setItem(KEY, chosen);
  applyTheme();
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (theme.value === 'system') {
    delete root.dataset.theme;
  } else {
    root.dataset.theme = theme.value;
  }
  repaint.value++;
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => repaint.value++);

function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}
