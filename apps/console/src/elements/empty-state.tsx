import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface EmptyStateProps {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
}

/** Placeholder for an empty list, with a hint for the next step. */
export function EmptyState({ icon, title, children }: EmptyStateProps) {
  return (
    <div class="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <div class="muted">{children}</div>}
    </div>
  );
}
