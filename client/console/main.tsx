/** The console: a page that manages agents with the public API only. */
import { render } from 'preact';
import { session } from './api/session.js';
import { Frame } from './app/frame.js';
import { Keyboard } from './app/keyboard.js';
import { CurrentPage } from './app/routes.js';
import { ConfirmDialog } from './components/confirm.js';
import { OneTimeCodeDialog } from './components/one-time-code.js';
import { Toasts } from './components/toasts.js';
import { SignIn } from './pages/sign-in.js';
import { followLinks } from './lib/router.js';
import { applyTheme } from './lib/theme.js';
import { startClock } from './lib/time.js';

function App() {
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

applyTheme();
followLinks();
startClock();
const container = document.getElementById('app');
if (container) {
  container.replaceChildren();
  render(<App />, container);
}
