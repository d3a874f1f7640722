import { useState } from 'preact/hooks';
import { useAction } from '../connection/use-action.ts';
import { Button } from '../elements/button.tsx';
import { Icon } from '../elements/icon.tsx';
import { ThemeSwitch } from '../theme/theme-switch.tsx';
import { notice, signIn } from './session.ts';
import './sign-in-page.css';

export function SignInPage() {
  const [token, setToken] = useState('');
  const { run, isRunning, problem } = useAction(signIn);
  const said =
    problem === undefined ? notice.value : problem.status === 401 ? 'This token is not accepted.' : problem.message;
  return (
    <main class="sign-in">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(token.trim());
        }}
      >
        <span class="brand-mark" aria-hidden="true">
          <Icon name="brand" />
        </span>
        <h1>Kernel console</h1>
        <p class="muted">Sign in with an admin token. It is kept in this tab only and forgotten when you close it.</p>
        <label class="field">
          <span class="field-label">Admin token</span>
          <input
            class="input"
            type="password"
            autocomplete="off"
            required
            autofocus
            value={token}
            aria-describedby="sign-in-said"
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <p id="sign-in-said" class="field-error" role="alert">
          {said}
        </p>
        <Button kind="primary" type="submit" isBusy={isRunning} disabled={token.trim() === ''}>
          Sign in
        </Button>
        <p class="muted sign-in-hint">
          The operator of this application has a token. The demo keeps it in <code>.data/admin-token</code> and prints a
          link that signs you in once.
        </p>
      </form>
      <ThemeSwitch />
    </main>
  );
}
