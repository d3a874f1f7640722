import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './navigation/location.ts';
import { notice, resumeSession } from './session/session.ts';
import { takeOneTimeCode } from './session/one-time-code.ts';
import { applyTheme } from './theme/theme.ts';
import './theme/tokens.css';
import './theme/base.css';
import './elements/elements.css';

applyTheme();
followLinks();
await resumeSession(takeOneTimeCode()).catch((error: Error) => (notice.value = error.message));
render(<App />, document.getElementById('app')!);
