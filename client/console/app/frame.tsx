/** What is around every page: navigation, the state of the connection, and who is signed in. */
import type { ComponentChildren } from 'preact';
import { isConnected } from '../api/connection.js';
import { Icon, type IconName } from '../components/icon.js';
import { Logo } from '../components/logo.js';
import { address, docsUrl, linkTo } from '../lib/router.js';
import { Account } from './account.js';
import { RateLimitMeter } from './rate-limit-meter.js';

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
          {/* In a tab of its own: a key that is not kept would be lost with this page. */}
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
              <Icon name="warning" /> The service does not answer. What you see may be out of date;
              the page tries again by itself.
            </p>
          )}
        </div>
        {children}
      </main>
    </div>
  );
}
