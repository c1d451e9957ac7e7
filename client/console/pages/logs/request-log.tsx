/** The log entries of one request, oldest first, with the time since its start. */
import type { LogEntry } from '../../../src/index.js';
import { useLive } from '../../api/live.js';
import { may } from '../../api/permissions.js';
import { Badge } from '../../components/badge.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { NotAllowed, Skeleton } from '../../components/states.js';
import { Text } from '../../components/text.js';
import { linkTo } from '../../lib/router.js';
import { formatDuration } from '../../lib/time.js';
import { Metadata } from './entry-details.js';

const maxEntries = 200;

/** The entries are stored when the request ends, which may be after the page has noticed. */
const pauseAfter = (entries: LogEntry[] | undefined) => (entries?.length === 0 ? 2_000 : 20_000);

interface RequestLogProps {
  agent: string;
  requestId: string;
  /** Shows the metadata of each entry. */
  isDetailed?: boolean;
}

export function RequestLog({ agent, requestId, isDetailed = false }: RequestLogProps) {
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
      {data?.length === 0 && <p class="muted">No log entries yet.</p>}
      <ol class="request-steps">
        {start < Date.parse(data?.[0]?.timestamp ?? '') && (
          <li>
            <span class="muted offset">+{formatDuration(0)}</span>
            Request started
          </li>
        )}
        {data?.map(({ id, timestamp, level, message, metadata }) => (
          <li key={id}>
            <span class="muted offset">+{formatDuration(Date.parse(timestamp) - start)}</span>
            {level !== 'info' && <Badge state={level} />}
            <Text max={2_000}>{message}</Text>
            {isDetailed && <Metadata metadata={metadata} />}
          </li>
        ))}
      </ol>
      {isDetailed ? (
        <a href={linkTo(['agents', agent, 'logs'])}>All entries</a>
      ) : (
        <a href={linkTo(['agents', agent, 'logs'], { request: requestId })}>Open in the logs</a>
      )}
    </div>
  );
}

/** The timestamp of an entry is the end of the step that it describes. */
function startOf(entries: LogEntry[]): number {
  return Math.min(
    ...entries.map(({ timestamp, metadata: { duration_ms } }) => {
      const tookMs = typeof duration_ms === 'number' ? duration_ms : 0;
      return Date.parse(timestamp) - tookMs;
    }),
  );
}
