/** The log entries of one request, in their order, with the time since the first. */
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
    { everyMs: 20_000 },
  );
  if (!may('read')) return <NotAllowed permission="read" what="read logs" />;
  const first = Date.parse(data?.[0]?.timestamp ?? '');
  return (
    <div class="request-log">
      <ProblemPanel problem={problem} onRetry={refresh} />
      {!data && !problem && <Skeleton rows={3} />}
      {data?.length === 0 && <p class="muted">This request has written nothing to the log.</p>}
      <ol class="story">
        {data?.map(({ id, timestamp, level, message, metadata }) => (
          <li key={id}>
            <span class="muted offset">+{duration(Date.parse(timestamp) - first)}</span>
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
