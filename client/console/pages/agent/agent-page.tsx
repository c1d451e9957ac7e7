/** The page of an agent: its state, and tabs. */
import type { ComponentChildren } from 'preact';
import { may } from '../../api/permissions.js';
import { Badge } from '../../components/badge.js';
import { Page } from '../../components/page.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { NotAllowed } from '../../components/states.js';
import { linkTo } from '../../lib/router.js';
import { ChatTab } from '../chat/chat-tab.js';
import { DeploymentsTab } from '../deployments/deployments-tab.js';
import { LogsTab } from '../logs/logs-tab.js';
import { MemoryTab } from '../memory/memory-tab.js';
import { MetricsTab } from '../metrics/metrics-tab.js';
import { SettingsTab } from '../settings/settings-tab.js';
import { activeInProduction, useAgent, useDeployments } from './data.js';
import { tabs, type TabPath } from './tabs.js';

interface AgentPageProps {
  /** The name or id in the address. */
  agent: string;
  tab: string | undefined;
}

const tabContents: Record<TabPath, (props: { agent: string }) => ComponentChildren> = {
  chat: ChatTab,
  deployments: DeploymentsTab,
  logs: LogsTab,
  metrics: MetricsTab,
  memory: MemoryTab,
  settings: SettingsTab,
};

export function AgentPage({ agent, tab }: AgentPageProps) {
  const { data, problem, refresh } = useAgent(agent);
  const current = tabs.find(({ path }) => path === tab)?.path ?? 'chat';
  const TabContent = tabContents[current];
  // The chat needs the write permission, all other tabs need read.
  const isHidden = !may('read') && current !== 'chat';
  return (
    <Page
      title={data?.name ?? agent}
      note={
        data && (
          <span class="agent-note">
            <Badge state={data.status} />
            <ActiveVersion agent={agent} />
          </span>
        )
      }
    >
      <nav class="tabs" aria-label={`Tabs of ${agent}`} ref={showCurrentTab}>
        {tabs.map(({ path, title }) => (
          <a
            key={path}
            href={linkTo(['agents', agent, path])}
            aria-current={path === current ? 'page' : undefined}
          >
            {title}
          </a>
        ))}
      </nav>
      {!data && <ProblemPanel problem={problem} onRetry={refresh} />}
      {isHidden ? (
        <NotAllowed permission="read" what="see agents" />
      ) : (
        (data ?? !problem) && <TabContent agent={agent} />
      )}
    </Page>
  );
}

/** On a narrow screen the current tab may be out of view. */
function showCurrentTab(tabList: HTMLElement | null): void {
  const current = tabList?.querySelector<HTMLElement>('[aria-current]');
  if (tabList && current) tabList.scrollLeft = current.offsetLeft - tabList.offsetLeft - 40;
}

function ActiveVersion({ agent }: { agent: string }) {
  const { data } = useDeployments(agent);
  const active = data && activeInProduction(data);
  if (!data) return null;
  return (
    <span class="muted">
      {active ? (
        <>
          version <strong>{active.version}</strong> · <code>{active.model}</code>
        </>
      ) : (
        'runs its draft; not deployed yet'
      )}
    </span>
  );
}
