/** The frame of every page: navigation, connection state, rate limit, and the key in use. */
import type { ComponentChildren } from 'preact';
import { isConnected, rateLimit } from '../api/connection.js';
import { Icon, type IconName } from '../components/icon.js';
import { Logo } from '../components/logo.js';
import { formatInteger } from '../lib/numbers.js';
import { address, docsUrl, linkTo } from '../lib/router.js';
import { exactTime } from '../lib/time.js';
import { Account } from './account.js';

const sections: { path: string; title: string; icon: IconName }[] = [
  { path: 'agents', title: 'Agents', icon: 'agents' },
  { path: 'overview', title: 'Overview', icon: 'overview' },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks' },
  { path: 'keys', title: 'Keys', icon: 'keys' },
];

export function Frame({ children }: { children: ComponentChildren }) {
  const [current = 'agents'] = address.value.path;
  return (
    <div class="frame">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="sidebar">
        <a class="brand" href={linkTo(['agents'])} aria-label="Agent Hosting">
          <Logo />
          <span>Agent Hosting</span>
        </a>
        <nav class="sections" aria-label="Sections">
          {sections.map(({ path, title, icon }) => (
            <a
              key={path}
              href={linkTo([path])}
              aria-current={current === path ? 'page' : undefined}
            >
              <Icon name={icon} />
              {title}
            </a>
          ))}
          {/* Opens a new tab: a key that is only in memory would be lost with this page. */}
          <a class="docs" href={docsUrl} target="_blank" rel="noopener">
            <Icon name="docs" />
            Docs
          </a>
        </nav>
        <div class="sidebar-end">
          <RateLimitMeter />
          <Account />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <div role="status">
          {!isConnected.value && (
            <p class="lost">
              <Icon name="warning" /> The service does not respond. This page may be out of date; it
              reconnects automatically.
            </p>
          )}
        </div>
        {children}
      </main>
    </div>
  );
}

function RateLimitMeter() {
  const known = rateLimit.value;
  if (!known) return null;
  const { limit, remaining, fullAt } = known;
  return (
    <div class="rate-limit" title={`Full again at ${exactTime(fullAt)} if nothing more is sent`}>
      <span>
        {formatInteger(remaining)} of {formatInteger(limit)}
        <span class="unit"> requests</span> left
      </span>
      <meter min={0} max={limit} low={limit * 0.3} value={remaining} aria-label="Requests left" />
    </div>
  );
}
