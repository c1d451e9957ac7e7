/** Signed in: the page of the address, in its frame. Otherwise: sign in. */
import { session } from '../api/session.js';
import { ConfirmDialog } from '../components/confirm.js';
import { OneTimeCodeDialog } from '../components/one-time-code.js';
import { Toasts } from '../components/toasts.js';
import { SignIn } from '../pages/sign-in.js';
import { Frame } from './frame.js';
import { Keyboard } from './keyboard.js';
import { CurrentPage } from './routes.js';

export function App() {
  if (!session.value) return <SignIn />;
  return (
    <>
      <Frame>
        <CurrentPage />
      </Frame>
      <Keyboard />
      <ConfirmDialog />
      <OneTimeCodeDialog />
      <Toasts />
    </>
  );
}
