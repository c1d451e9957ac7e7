/** A row of the agent list. Its details are loaded when it comes into view. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { AgentSummary } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { runInBackground } from '../../api/queue.js';
import { Badge } from '../../components/badge.js';
import { Sparkline } from '../../components/sparkline.js';
import { Time } from '../../components/time.js';
import { linkTo } from '../../lib/router.js';
import { formatInteger, plural } from '../../lib/numbers.js';
import { loadOverview, overviewRequests } from './overview.js';

const refreshMs = 60_000;

interface AgentRowProps {
  agent: AgentSummary;
  /** How many rows are refreshed. */
  rows: number;
}

export function AgentRow({ agent: { id, name, status, created_at }, rows }: AgentRowProps) {
  const { element, isInView } = useInView<HTMLTableRowElement>();
  const { data } = useLive(
    isInView ? `overview:${id}` : undefined,
    (client, signal) => runInBackground(() => loadOverview(client, id, signal), signal),
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
        {data ? <code>{data.model}</code> : <span class="placeholder short" />}
      </td>
      <td role="cell" data-title="Version">
        {data ? (
          (data.version ?? <span class="muted">draft</span>)
        ) : (
          <span class="placeholder short" />
        )}
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
      <span aria-hidden="true">{formatInteger(sum)}</span>
    </span>
  );
}

/** Rows outside the view do not load their details. */
function useInView<Target extends Element>() {
  const element = useRef<Target>(null);
  const [isInView, setInView] = useState(false);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new IntersectionObserver(
      (changes) => {
        setInView(changes.some(({ isIntersecting }) => isIntersecting));
      },
      { rootMargin: '200px' },
    );
    observer.observe(element.current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return { element, isInView };
}
