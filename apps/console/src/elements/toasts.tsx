import { signal } from '@preact/signals';
import { Icon } from './icon.tsx';

interface Toast {
  id: number;
  tone: 'good' | 'bad';
  text: string;
}

const SHOWN_MS = 6_000;
const toasts = signal<Toast[]>([]);
let lastId = 0;

/** Shows a short-lived message. */
export function toast(tone: Toast['tone'], text: string): void {
  const id = ++lastId;
  toasts.value = [...toasts.value, { id, tone, text }];
  setTimeout(() => (toasts.value = toasts.value.filter((one) => one.id !== id)), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map(({ id, tone, text }) => (
        <p key={id} class={`toast is-${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'alert'} />
          {text}
        </p>
      ))}
    </div>
  );
}
