/** The log entries of one request, in their order, with the time since it began. */
import type { LogEntry } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { may } from '../../api/permissions.js';
import { Badge } from '../../components/badge.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { NotAllowed, Skeleton } from '../../components/states.js';
import { Text } from '../../components/text.js';
import { linkTo } from '../../lib/router.js';
import { duration } from '../../lib/time.js';
import { Metadata } from './entry-details.js';

const maxEntries = 200;

/** The entries are written when the request has ended, which the service may notice later than the page. */
const pauseAfter = (entries: LogEntry[] | undefined) => (entries?.length === 0 ? 2_000 : 20_000);

interface RequestLogProps {
  agent: string;
  requestId: string;
  /** With all that belongs to each entry. */
  isWhole?: boolean;
}

export function RequestLog({ agent, requestId, isWhole = false }: RequestLogProps) {
  const { data, problem, refresh } = useLive(
    may('read') ? `request-log:${agent}:${requestId}` : undefined,
    async (client, signal) =>
      (
        await client.logs.list(agent, { request_id: requestId, limit: maxEntries }, { signal })
      ).data.reverse(),
    { everyMs: pauseAfter },
  );
  if (!may('read')) return <NotAllowed permission="read" what="read logs" />;
  const start = startOf(data ?? []);
  return (
    <div class="request-log">
      <ProblemPanel problem={problem} onRetry={refresh} />
      {!data && !problem && <Skeleton rows={3} />}
      {data?.length === 0 && <p class="muted">No log entries so far.</p>}
      <ol class="story">
        {start < Date.parse(data?.[0]?.timestamp ?? '') && (
          <li>
            <span class="muted offset">+{duration(0)}</span>
            The request began.
          </li>
        )}
        {data?.map(({ id, timestamp, level, message, metadata }) => (
          <li key={id}>
            <span class="muted offset">+{duration(Date.parse(timestamp) - start)}</span>
            {level !== 'info' && <Badge state={level} />}
            <Text max={2_000}>{message}</Text>
            {isWhole && <Metadata metadata={metadata} />}
          </li>
        ))}
      </ol>
      {isWhole ? (
        <a href={linkTo(['agents', agent, 'logs'])}>All entries</a>
      ) : (
        <a href={linkTo(['agents', agent, 'logs'], { request: requestId })}>Open in the logs</a>
      )}
    </div>
  );
}

/** An entry has the time at which something ended, and says how long it took. */
function startOf(entries: LogEntry[]): number {
  return Math.min(
    ...entries.map(({ timestamp, metadata: { duration_ms } }) => {
      const tookMs = typeof duration_ms === 'number' ? duration_ms : 0;
      return Date.parse(timestamp) - tookMs;
    }),
  );
}
