import { CopyIcon } from './copy-button.tsx';

/** Preformatted text with a copy button. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      <CopyIcon text={text} label={label} />
    </div>
  );
}

export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  return <CodeBlock text={JSON.stringify(value, null, 2)} label={label} />;
}
