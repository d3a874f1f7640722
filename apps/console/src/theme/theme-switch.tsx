import { Icon } from '../elements/icon.tsx';
import { chooseTheme, theme } from './theme.ts';

const CHOICES = [
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'system', label: 'As the system', icon: 'screen' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
] as const;

export function ThemeSwitch() {
  return (
    <div class="theme-switch" role="group" aria-label="Colours">
      {CHOICES.map(({ value, label, icon }) => (
        <button
          key={value}
          type="button"
          aria-pressed={theme.value === value}
          aria-label={label}
          title={label}
          onClick={() => chooseTheme(value)}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  );
}
