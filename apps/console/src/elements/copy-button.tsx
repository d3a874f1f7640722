import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { toast } from './toasts.tsx';

/** Copies the text; `isDone` is true for a moment afterwards. */
function useCopy(text: string): { copy: () => void; isDone: boolean } {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    try {
      // Browsers have no clipboard on plain http, except on localhost.
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1_500);
    } catch {
      toast('bad', 'The browser does not let the console copy: select the text instead.');
    }
  };
  return { copy: () => void copy(), isDone };
}

/** A small copy button beside a value. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const { copy, isDone } = useCopy(text);
  return (
    <button
      type="button"
      class="icon-button copy-icon"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={copy}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const { copy, isDone } = useCopy(text);
  return (
    <Button icon={isDone ? 'check' : 'copy'} onClick={copy}>
      {isDone ? 'Copied' : children}
    </Button>
  );
}
