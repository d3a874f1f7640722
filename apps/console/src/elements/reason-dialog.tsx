import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../connection/use-action.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { ProblemNotice } from './problem-notice.tsx';

interface ReasonDialogProps {
  title: string;
  verb: string;
  isDangerous?: boolean;
  children: ComponentChildren;
  /** The dialog closes when the promise resolves. */
  onConfirm: (reason: string) => Promise<void>;
  onClose: () => void;
}

/** Asks for a reason, which the ledger stores with the actor. */
export function ReasonDialog({ title, verb, isDangerous, children, onConfirm, onClose }: ReasonDialogProps) {
  const [reason, setReason] = useState('');
  const { run, isRunning, problem } = useAction(async () => {
    await onConfirm(reason.trim());
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <div class="muted">{children}</div>
        <Field label="Reason" hint="Kept in the ledger with your name.">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              maxLength={500}
              required
              autofocus
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
            />
          )}
        </Field>
        {problem && <ProblemNotice problem={problem} />}
        <div class="actions is-end">
          <Button onClick={onClose}>Leave it</Button>
          <Button
            kind={isDangerous ? 'danger' : 'primary'}
            type="submit"
            isBusy={isRunning}
            disabled={reason.trim() === ''}
          >
            {verb}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
