/** The agents of the account. */
import { useState } from 'preact/hooks';
import type { AgentHosting, AgentSummary } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { may } from '../../api/permissions.js';
import { Button } from '../../components/button.js';
import { Page } from '../../components/page.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, NotAllowed, Skeleton } from '../../components/states.js';
import { address, setQuery } from '../../lib/router.js';
import { formatInteger, plural } from '../../lib/numbers.js';
import { AgentRow } from './agent-row.js';

const sorts = {
  '-created_at': 'Newest first',
  created_at: 'Oldest first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  '-updated_at': 'Recently changed',
} as const;

type Sort = keyof typeof sorts;

const pageSize = 100;

interface AgentPages {
  agents: AgentSummary[];
  total: number;
}

export function AgentsPage() {
  const [pages, setPages] = useState(1);
  const { query } = address.value;
  const search = query.get('q') ?? '';
  const sort = (Object.keys(sorts) as Sort[]).find((name) => name === query.get('sort'));
  const chosen = sort ?? '-created_at';
  const { data, problem, refresh } = useLive(
    may('read') ? `agents:${chosen}:${pages}` : undefined,
    (client, signal) => loadAgents(client, chosen, pages, signal),
    { everyMs: 15_000, cost: pages },
  );
  // The service filters by the complete name, and finds agents that are not loaded.
  const { data: named = [] } = useLive(
    data && search !== '' && data.agents.length < data.total ? `agent-named:${search}` : undefined,
    async (client, signal) => (await client.agents.list({ name: search }, { signal })).data,
  );
  if (!may('read')) {
    return (
      <Page title="Agents">
        <NotAllowed permission="read" what="see agents" />
      </Page>
    );
  }
  const found = (data?.agents ?? []).filter(({ name }) => name.includes(search.toLowerCase()));
  const shown = found.length > 0 ? found : named;
  return (
    <Page title="Agents" note={data && <span class="muted">{formatInteger(data.total)}</span>}>
      <div class="toolbar">
        <input
          class="input"
          type="search"
          aria-label="Search by name"
          placeholder="Search by name ( / )"
          value={search}
          onInput={({ currentTarget }) => {
            setQuery({ q: currentTarget.value });
          }}
        />
        <select
          class="input"
          aria-label="Sort"
          value={chosen}
          onChange={({ currentTarget }) => {
            setQuery({ sort: currentTarget.value });
          }}
        >
          {Object.entries(sorts).map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      </div>
      <ProblemPanel problem={problem} onRetry={refresh} />
      {!data && !problem && <Skeleton rows={6} />}
      {data && shown.length === 0 && <NoAgents search={search} />}
      {shown.length > 0 && <AgentTable agents={shown} />}
      {data && data.agents.length < data.total && (
        <p class="more">
          <span class="muted">
            {formatInteger(data.agents.length)} of {plural(data.total, 'agent')}
          </span>
          <Button
            onClick={() => {
              setPages(pages + 1);
            }}
          >
            Show more
          </Button>
        </p>
      )}
    </Page>
  );
}

const columns = [
  'Name',
  'Status',
  'Model',
  'Version',
  'Invocations, 1 h',
  'Errors, 1 h',
  'Created',
];

/** Not a DataTable, since each row loads its own data. */
function AgentTable({ agents }: { agents: AgentSummary[] }) {
  return (
    <div class="table-frame">
      <table class="table agents" role="table" aria-label="Agents">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((title) => (
              <th key={title} scope="col" role="columnheader">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {agents.map((agent) => (
            <AgentRow key={agent.id} agent={agent} rows={agents.length} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function NoAgents({ search }: { search: string }) {
  if (search !== '') {
    return (
      <Empty title="No agent matches">
        Search for a part of the name, or for the complete name if there are many agents.
      </Empty>
    );
  }
  return (
    <Empty title="No agents yet">
      <p>The operator creates agents from a manifest:</p>
      <pre class="code-block">npm run operator -- agents apply -f support-bot.yaml</pre>
    </Empty>
  );
}

async function loadAgents(
  client: AgentHosting,
  sort: Sort,
  pages: number,
  signal: AbortSignal,
): Promise<AgentPages> {
  const agents: AgentSummary[] = [];
  let total = 0;
  for (let page = 0; page < pages; page += 1) {
    const { data, pagination } = await client.agents.list(
      { sort, limit: pageSize, offset: page * pageSize },
      { signal },
    );
    agents.push(...data);
    total = pagination.total;
    if (!pagination.has_more) break;
  }
  return { agents, total };
}
