import { signal } from '@preact/signals';
import { pageSettings } from '../page-settings.ts';

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'kernel-console-theme';

export const theme = signal<Theme>(readTheme());
/** Incremented when colours change, so canvases are redrawn. */
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

/** The user's choice, else the host's default. */
function readTheme(): Theme {
  const chosen = [localStorage.getItem(KEY), pageSettings.defaultTheme].find(isTheme);
  return chosen ?? 'system';
}

function isTheme(name: unknown): name is Theme {
  return name === 'system' || name === 'light' || name === 'dark';
}
