import type { ComponentChildren } from 'preact';
import type { Tone } from '../elements/status-badge.tsx';

interface TileProps {
  label: string;
  value: string;
  unit?: string;
  tone?: Tone;
  href?: string;
  children?: ComponentChildren;
}

/** One number, linked to its details. */
export function Tile({ label, value, unit, tone, href, children }: TileProps) {
  const body = (
    <>
      <span class="tile-label">{label}</span>
      <span class="tile-value">
        {value}
        {unit && <small> {unit}</small>}
      </span>
      {children && <span class="tile-note">{children}</span>}
    </>
  );
  const look = `tile ${tone ? `is-${tone}` : ''}`;
  return href ? (
    <a class={look} href={href}>
      {body}
    </a>
  ) : (
    <div class={look}>{body}</div>
  );
}
