/** A row of the list of agents. What is more than a name is read when the row comes into view. */
import type { AgentSummary } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { inBackground } from '../../api/queue.js';
import { Badge } from '../../components/badge.js';
import { Sparkline } from '../../components/sparkline.js';
import { Time } from '../../components/time.js';
import { linkTo } from '../../lib/router.js';
import { useInView } from '../../lib/use-in-view.js';
import { count, plural } from '../../lib/words.js';
import { loadOverview, overviewRequests } from './overview.js';

const refreshMs = 60_000;

interface AgentRowProps {
  agent: AgentSummary;
  /** How many rows refresh by themselves. */
  rows: number;
}

export function AgentRow({ agent: { id, name, status, created_at }, rows }: AgentRowProps) {
  const { element, isInView } = useInView<HTMLTableRowElement>();
  const { data } = useLive(
    isInView ? `overview:${id}` : undefined,
    (client, signal) => inBackground(() => loadOverview(client, id, signal), signal),
    { everyMs: refreshMs, cost: overviewRequests * Math.min(rows, 25) },
  );
  return (
    <tr ref={element} role="row">
      <th scope="row" role="rowheader">
        <a class="row-link" href={linkTo(['agents', name])}>
          {name}
        </a>
      </th>
      <td role="cell" data-title="Status">
        <Badge state={status} />
      </td>
      <td role="cell" data-title="Model">
        {data ? <code>{data.model}</code> : <span class="bone short" />}
      </td>
      <td role="cell" data-title="Version">
        {data ? (data.version ?? <span class="muted">draft</span>) : <span class="bone short" />}
      </td>
      <td role="cell" data-title="Invocations, 1 h">
        {data && <Trend values={data.invocations} noun="invocation" />}
      </td>
      <td role="cell" data-title="Errors, 1 h">
        {data && <Trend values={data.errors} noun="error" isBad />}
      </td>
      <td role="cell" class="muted" data-title="Created">
        <Time at={created_at} />
      </td>
    </tr>
  );
}

interface TrendProps {
  values: number[];
  noun: string;
  isBad?: boolean;
}

function Trend({ values, noun, isBad = false }: TrendProps) {
  const sum = Math.round(values.reduce((total, value) => total + value, 0));
  return (
    <span class={isBad && sum > 0 ? 'trend bad' : 'trend'}>
      <Sparkline
        values={values}
        tone={isBad ? 'bad' : 'good'}
        label={`${plural(sum, noun)} in the last hour`}
      />
      <span aria-hidden="true">{count(sum)}</span>
    </span>
  );
}
