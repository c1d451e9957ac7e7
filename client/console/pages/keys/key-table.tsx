/** The table of keys, newest first. */
import type { ApiKey } from '../../../src/index.js';
import { ownKey } from '../../api/permissions.js';
import { useAgentNames } from '../../components/agent-select.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Text } from '../../components/text.js';
import { Time } from '../../components/time.js';
import { now } from '../../lib/time.js';

interface KeyTableProps {
  keys: ApiKey[];
  onRevoke: (key: ApiKey) => void;
}

export function KeyTable({ keys, onRevoke }: KeyTableProps) {
  const { data: agents = [] } = useAgentNames();
  const nameOf = (agentId: string) => agents.find(({ id }) => id === agentId)?.name ?? agentId;
  const columns: Column<ApiKey>[] = [
    {
      title: 'Name',
      kind: 'name',
      cell: ({ id, name }) => (
        <span class="pair">
          <Text>{name}</Text>
          {ownKey.value?.id === id && <span class="badge neutral">this key</span>}
        </span>
      ),
    },
    { title: 'Key', cell: ({ preview }) => <code>{preview}</code> },
    {
      title: 'Agent',
      cell: ({ agent_id }) => (agent_id === null ? 'all agents' : nameOf(agent_id)),
    },
    { title: 'Permissions', cell: ({ permissions }) => permissions.join(', ') },
    {
      title: 'Last used',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Time at={last_used_at} />),
    },
    { title: 'Expires', cell: ({ expires_at }) => <Expiry at={expires_at} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (key) => (
        <Button
          kind="danger"
          needs="manage"
          onClick={() => {
            onRevoke(key);
          }}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return <DataTable label="Keys" columns={columns} items={keys} idOf={({ id }) => id} />;
}

function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span class="muted">never</span>;
  return (
    <span class="pair">
      {Date.parse(at) <= now.value && <Badge state="expired" />}
      <Time at={at} mayBeFuture />
    </span>
  );
}
