/** Selects the page for the current address. */
import { Empty } from '../components/states.js';
import { Page } from '../components/page.js';
import { address, linkTo } from '../lib/router.js';
import { AgentPage } from '../pages/agent/agent-page.js';
import { AgentsPage } from '../pages/agents/agents-page.js';
import { KeysPage } from '../pages/keys/keys-page.js';
import { OverviewPage } from '../pages/overview/overview-page.js';
import { WebhooksPage } from '../pages/webhooks/webhooks-page.js';

export function CurrentPage() {
  const [section = 'agents', agent, tab] = address.value.path;
  if (section === 'agents') {
    return agent === undefined ? <AgentsPage /> : <AgentPage key={agent} agent={agent} tab={tab} />;
  }
  if (section === 'overview') return <OverviewPage />;
  if (section === 'webhooks') return <WebhooksPage />;
  if (section === 'keys') return <KeysPage />;
  return (
    <Page title="Not found">
      <Empty title="There is no such page">
        Check the address, or <a href={linkTo(['agents'])}>go to the agents</a>.
      </Empty>
    </Page>
  );
}
