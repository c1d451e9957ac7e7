/** The webhooks of the account, with the outcome of their last delivery. */
import { useState } from 'preact/hooks';
import type { Webhook } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { useLive } from '../../api/live.js';
import { may } from '../../api/permissions.js';
import { AgentSelect } from '../../components/agent-select.js';
import { Button } from '../../components/button.js';
import { confirm } from '../../components/confirm.js';
import { Page } from '../../components/page.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, NotAllowed, Skeleton } from '../../components/states.js';
import { Text } from '../../components/text.js';
import { notify } from '../../components/toasts.js';
import { address, setQuery } from '../../lib/router.js';
import { NewWebhook } from './new-webhook.js';
import { WebhookTable } from './webhook-table.js';

const limit = 100;

export function WebhooksPage() {
  const [isCreating, setCreating] = useState(false);
  const agentId = address.value.query.get('agent') ?? '';
  const { data, problem, refresh, change } = useLive(
    may('read') ? `webhooks:${agentId}` : undefined,
    async (client, signal) => {
      const filter = agentId === '' ? {} : { agent_id: agentId };
      return (await client.webhooks.list({ limit, ...filter }, { signal })).data;
    },
    { everyMs: 15_000 },
  );
  const remove = useAction<Webhook>(async (client, { id, url }) => {
    const isSure = await confirm({
      title: 'Delete this webhook?',
      text: (
        <p>
          <Text max={2_048}>{url}</Text> receives no more events, and pending deliveries are
          discarded. This cannot be undone.
        </p>
      ),
      action: 'Delete the webhook',
    });
    if (!isSure) return;
    change((webhooks) => webhooks.filter((webhook) => webhook.id !== id));
    try {
      await client.webhooks.delete(id);
      notify('The webhook was deleted.');
    } finally {
      refresh();
    }
  });
  return (
    <Page
      title="Webhooks"
      actions={
        <Button
          kind="primary"
          needs="write"
          onClick={() => {
            setCreating(true);
          }}
        >
          New webhook
        </Button>
      }
    >
      {may('read') ? (
        <>
          <div class="toolbar">
            <AgentSelect
              aria-label="Filter by agent"
              all="All agents"
              value={agentId}
              onChange={(agent) => {
                setQuery({ agent });
              }}
            />
          </div>
          <ProblemPanel problem={remove.problem ?? problem} onRetry={refresh} />
          {!data && !problem && <Skeleton />}
          {data?.length === 0 && (
            <Empty title="No webhooks">
              A webhook sends an event to your server when an invocation has ended. Create one with
              the URL of your server.
            </Empty>
          )}
          {data && data.length > 0 && (
            <WebhookTable webhooks={data} onDelete={(webhook) => void remove.run(webhook)} />
          )}
        </>
      ) : (
        <NotAllowed permission="read" what="see webhooks" />
      )}
      {isCreating && (
        <NewWebhook
          onClose={() => {
            setCreating(false);
            refresh();
          }}
        />
      )}
    </Page>
  );
}
