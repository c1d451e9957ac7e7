/** The log of an agent, filtered and followed, or the entries of one request. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { GetLogsQuery, LogEntry, LogLevel } from '../../../src/index.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, Skeleton } from '../../components/states.js';
import { Text } from '../../components/text.js';
import { VirtualList } from '../../components/virtual-list.js';
import { address, setQuery } from '../../lib/router.js';
import { clockTime, dayOf } from '../../lib/time.js';
import { isoTime, readRange } from '../../lib/time-range.js';
import { formatInteger } from '../../lib/numbers.js';
import { EntryDetails } from './entry-details.js';
import { LogFilters, levels } from './log-filters.js';
import { RequestLog } from './request-log.js';
import { useLogEntries } from './use-log-entries.js';

export function LogsTab({ agent }: { agent: string }) {
  const request = address.value.query.get('request') ?? '';
  return (
    <>
      <LogFilters agent={agent} />
      {request === '' ? (
        <LogList agent={agent} />
      ) : (
        <section class="card">
          <h2>
            Request <code>{request}</code>
          </h2>
          <RequestLog key={request} agent={agent} requestId={request} isDetailed />
        </section>
      )}
    </>
  );
}

function LogList({ agent }: { agent: string }) {
  const { query } = address.value;
  const level = levels.find((name) => name === query.get('level'));
  const text = (query.get('q') ?? '').toLowerCase();
  const filter = useFilter(query, level);
  const log = useLogEntries(agent, filter, query.get('follow') === 'on');
  const [chosen, setChosen] = useState(query.get('entry') ?? undefined);
  const shown = useMemo(
    () =>
      text === ''
        ? log.entries
        : log.entries.filter(({ message }) => message.toLowerCase().includes(text)),
    [log.entries, text],
  );
  // Matches may be far apart in the log.
  useEffect(() => {
    if (text !== '' && shown.length < 50) log.readMore();
  }, [text, log.entries]);
  const entry = shown.find(({ id }) => id === chosen);
  return (
    <>
      <ProblemPanel problem={log.problem} onRetry={log.retry} />
      {log.total === undefined && !log.problem && <Skeleton rows={10} />}
      {log.total !== undefined && shown.length === 0 && (
        <Empty title="No entries">
          {log.total === 0
            ? 'There are no entries in this range. Choose a longer one, or send the agent a message in Chat.'
            : 'None of the entries loaded so far contains this text.'}
        </Empty>
      )}
      {shown.length > 0 && (
        <div class={entry ? 'log with-details' : 'log'}>
          <VirtualList
            label="Log entries, newest first"
            items={shown}
            idOf={({ id }) => id}
            render={(item) => <EntryRow entry={item} />}
            chosen={chosen}
            onChoose={(id) => {
              setChosen(id);
              setQuery({ entry: id });
            }}
            onNearEnd={log.readMore}
          />
          {entry && (
            <EntryDetails
              agent={agent}
              entry={entry}
              onClose={() => {
                setChosen(undefined);
                setQuery({ entry: undefined });
              }}
            />
          )}
        </div>
      )}
      {log.total !== undefined && (
        <p class="muted log-count" role="status">
          {formatInteger(shown.length)} shown, {formatInteger(log.total)} in the log
        </p>
      )}
    </>
  );
}

/** Returns the same object until the filter changes, so that the start of a range that ends now stays fixed. */
function useFilter(query: URLSearchParams, level: LogLevel | undefined): GetLogsQuery {
  const environment = query.get('environment') ?? '';
  const range = [query.get('range'), query.get('start'), query.get('end')];
  const key = [level, environment, ...range].join('|');
  return useMemo(() => {
    const { start, end } = readRange(query);
    const [start_time, end_time] = [isoTime(start), isoTime(end)];
    return {
      ...(level !== undefined && { level }),
      ...(environment !== '' && { environment }),
      ...(start_time !== undefined && { start_time }),
      ...(end_time !== undefined && { end_time }),
    };
  }, [key]);
}

function EntryRow({ entry: { timestamp, level, message } }: { entry: LogEntry }) {
  const at = Date.parse(timestamp);
  return (
    <>
      <time dateTime={timestamp} title={timestamp}>
        <span class="day">{dayOf(at)}</span> {clockTime(at)}
      </time>
      <span class={`level ${level}`}>{level}</span>
      <span class="message">
        <Text>{message}</Text>
      </span>
    </>
  );
}
