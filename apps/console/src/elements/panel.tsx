import type { ComponentChildren } from 'preact';

interface PanelProps {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Panel({ title, actions, children }: PanelProps) {
  return (
    <section class="panel">
      <header class="panel-header">
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
