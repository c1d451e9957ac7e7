/** The console: looks at agents in a browser, by the public operations of the service and nothing else. */
import { render } from 'preact';
import { App } from './app/app.js';
import { followLinks } from './lib/router.js';
import { applyTheme } from './lib/theme.js';
import { startClock } from './lib/time.js';

applyTheme();
followLinks();
startClock();
const place = document.getElementById('app');
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
