import { Shell } from './navigation/shell.tsx';
import { session } from './session/session.ts';
import { SignInPage } from './session/sign-in-page.tsx';

export function App() {
  return session.value ? <Shell /> : <SignInPage />;
}
