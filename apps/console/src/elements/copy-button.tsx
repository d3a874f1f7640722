import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { toast } from './toasts.tsx';

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast('bad', 'The browser does not let the console copy: select the text instead.');
    return false;
  }
}

/** A small button beside what it copies. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <button
      type="button"
      class="icon-button copy-icon"
      aria-label={`Copy ${label}`}
      title={`Copy ${label}`}
      onClick={async () => {
        setDone(await copy(text));
        setTimeout(() => setDone(false), 1_500);
      }}
    >
      <Icon name={isDone ? 'check' : 'copy'} />
    </button>
  );
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <Button
      icon={isDone ? 'check' : 'copy'}
      onClick={async () => {
        setDone(await copy(text));
        setTimeout(() => setDone(false), 1_500);
      }}
    >
      {isDone ? 'Copied' : children}
    </Button>
  );
}
