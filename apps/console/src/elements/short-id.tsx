import { CopyIcon } from './copy-button.tsx';

/** The end of an id differs even for ids of the same time; the whole id is on hover and in the copy. */
export function ShortId({ id }: { id: string }) {
  return (
    <code class="short-id" title={id}>
      {id.length > 13 ? `…${id.slice(-8)}` : id}
    </code>
  );
}

export function FullId({ id, label, href }: { id: string; label: string; href?: string }) {
  return (
    <span class="full-id">
      {href ? (
        <a href={href}>
          <code>{id}</code>
        </a>
      ) : (
        <code>{id}</code>
      )}
      <CopyIcon text={id} label={label} />
    </span>
  );
}
