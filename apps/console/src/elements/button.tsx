import type { ComponentChildren, ComponentProps } from 'preact';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  kind?: 'primary' | 'plain' | 'danger';
  icon?: IconName;
  children: ComponentChildren;
}

type ButtonProps = Look & { isBusy?: boolean } & Omit<ComponentProps<'button'>, 'children' | 'icon'>;

export function Button({ kind = 'plain', icon, isBusy = false, disabled, children, ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button is-${kind}`} disabled={disabled || isBusy} aria-busy={isBusy} {...rest}>
      {isBusy ? <span class="spinner" aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

export function ButtonLink({ kind = 'plain', icon, children, href }: Look & { href: string }) {
  return (
    <a class={`button is-${kind}`} href={href}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
