import { Icon } from '../elements/icon.tsx';
import { session, signOut } from '../session/session.ts';

export function WhoAmI() {
  const who = session.value;
  return (
    who && (
      <div class="who-am-i">
        <div>
          <strong>{who.name}</strong>
          <span>{who.role === 'operator' ? 'Operator' : 'Tenant admin'}</span>
        </div>
        <button type="button" class="icon-button" aria-label="Sign out" title="Sign out" onClick={signOut}>
          <Icon name="sign-out" />
        </button>
      </div>
    )
  );
}
