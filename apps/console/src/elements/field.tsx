import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface FieldAttributes {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  children: (attributes: FieldAttributes) => ComponentChildren;
}

/** Label, control, and below it the error, or else the hint. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const said = error ?? hint;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': said ? `${id}-said` : undefined, 'aria-invalid': error !== undefined })}
      {said && (
        <p id={`${id}-said`} class={error ? 'field-error' : 'field-hint'}>
          {said}
        </p>
      )}
    </div>
  );
}
