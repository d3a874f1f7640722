import { markRemoved } from './mark-removed.ts';

/** Removed fields are struck through. */
export function MarkedPayload({ payload, removed }: { payload: unknown; removed: readonly string[] }) {
  return (
    <div class="code-block">
      <pre tabIndex={0} role="region" aria-label="payload in, with what is removed struck through">
        {markRemoved(payload, removed).map(({ text, isRemoved }, index) =>
          isRemoved ? <del key={index}>{`${text}\n`}</del> : <span key={index}>{`${text}\n`}</span>,
        )}
      </pre>
    </div>
  );
}
