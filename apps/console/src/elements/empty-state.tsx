import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** Nothing is here, and what to do about it. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}
