/** The table of webhooks, newest first. */
import type { Webhook } from '../../../src/index.js';
import { useAgentNames } from '../../components/agent-select.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Text } from '../../components/text.js';
import { Time } from '../../components/time.js';
import { plural } from '../../lib/numbers.js';

interface WebhookTableProps {
  webhooks: Webhook[];
  onDelete: (webhook: Webhook) => void;
}

export function WebhookTable({ webhooks, onDelete }: WebhookTableProps) {
  const { data: agents = [] } = useAgentNames();
  const nameOf = (agentId: string) => agents.find(({ id }) => id === agentId)?.name ?? agentId;
  const columns: Column<Webhook>[] = [
    { title: 'URL', kind: 'name', cell: ({ url }) => <Text>{url}</Text> },
    {
      title: 'Agent',
      cell: ({ agent_id }) => (agent_id === null ? 'all agents' : nameOf(agent_id)),
    },
    {
      title: 'Events',
      cell: ({ events }) => events.map((event) => event.replace('agent.', '')).join(', '),
    },
    { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
    { title: 'Last delivery', cell: (webhook) => <LastDelivery webhook={webhook} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (webhook) => (
        <Button
          kind="danger"
          needs="delete"
          onClick={() => {
            onDelete(webhook);
          }}
        >
          Delete
        </Button>
      ),
    },
  ];
  return <DataTable label="Webhooks" columns={columns} items={webhooks} idOf={({ id }) => id} />;
}

function LastDelivery({ webhook: { last_delivery } }: { webhook: Webhook }) {
  if (last_delivery === null) return <span class="muted">none yet</span>;
  const { status, attempts, at, response_code, error, next_attempt_at } = last_delivery;
  return (
    <>
      <span class="pair">
        <Badge state={status} />
        <span class="muted">
          {response_code !== null && `HTTP ${response_code}, `}
          <Time at={at} />
          {attempts > 1 && `, ${plural(attempts, 'attempt')}`}
        </span>
      </span>
      {error !== null && (
        <div class="muted">
          <Text>{error}</Text>
          {next_attempt_at !== null && (
            <>
              {' '}
              Next attempt <Time at={next_attempt_at} mayBeFuture />.
            </>
          )}
        </div>
      )}
    </>
  );
}
