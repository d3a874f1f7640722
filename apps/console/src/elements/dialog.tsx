import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/**
 * The browser's own dialog: it keeps the focus inside, and Escape closes it. A click beside it does not, because
 * selecting a secret that is shown only once may end with the mouse there.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-body">
        <header>
          <h2 id={titleId}>{title}</h2>
          <button type="button" class="icon-button" aria-label="Close" onClick={() => dialog.current?.close()}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
