import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface PageHeaderProps {
  title: string;
  /** Beside the title, e.g. a badge. */
  mark?: ComponentChildren;
  lead?: ComponentChildren;
  back?: { href: string; label: string };
  children?: ComponentChildren;
}

/** Title and actions. A new page takes the focus, so a screen reader announces it. */
export function PageHeader({ title, mark, lead, back, children }: PageHeaderProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Kernel console`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <div class="page-header">
      <div>
        {back && (
          <a class="back-link" href={back.href}>
            <Icon name="back" />
            {back.label}
          </a>
        )}
        <h1 tabIndex={-1} ref={heading}>
          {title} {mark}
        </h1>
        {lead && <p class="muted">{lead}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </div>
  );
}
