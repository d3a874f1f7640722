import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './navigation/location.ts';
import { notice, resumeSession, session } from './session/session.ts';
import { takeOneTimeCode } from './session/one-time-code.ts';
import { applyTheme } from './theme/theme.ts';
import './theme/tokens.css';
import './theme/base.css';
import './elements/elements.css';

applyTheme();
followLinks();
addEventListener('hashchange', takeCodeOfOpenPage);
await resume(takeOneTimeCode());
render(<App />, document.getElementById('app')!);

/** Opening the printed link in a tab with the sign-in page does not reload it. An existing session is kept. */
function takeCodeOfOpenPage(): void {
  const code = takeOneTimeCode();
  if (code !== null && session.value === null) {
    void resume(code);
  }
}

async function resume(code: string | null): Promise<void> {
  await resumeSession(code).catch((error: Error) => (notice.value = error.message));
}
