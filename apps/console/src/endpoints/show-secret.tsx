import type { ShownSecret } from '../connection/endpoint-responses.ts';
import { CodeBlock } from '../elements/code-block.tsx';
import { CopyButton } from '../elements/copy-button.tsx';

/** Shown once: the app stores it encrypted and does not return it again. */
export function ShowSecret({ shown: { secret, publicKey } }: { shown: ShownSecret }) {
  const value = secret ?? publicKey ?? '';
  return (
    <div class="stack">
      <p class="muted">
        {secret
          ? 'Give it to the receiver: it verifies signatures with it. It is shown this once.'
          : 'Give it to the receiver: it verifies signatures with this public key.'}
      </p>
      <CodeBlock text={value} label={secret ? 'signing secret' : 'public key'} />
      <div>
        <CopyButton text={value}>{secret ? 'Copy secret' : 'Copy public key'}</CopyButton>
      </div>
    </div>
  );
}
