/** Searches and clears the memory of an agent. */
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../api/action.js';
import { useLive } from '../../api/live.js';
import { Button } from '../../components/button.js';
import { confirm } from '../../components/confirm.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, Skeleton } from '../../components/states.js';
import { notify } from '../../components/toasts.js';
import { address, setQuery, type Query } from '../../lib/router.js';
import { plural } from '../../lib/numbers.js';
import { MatchView } from './match-view.js';

const limit = 50;
/** Waits until the user has stopped typing. */
const debounceMs = 300;

export function MemoryTab({ agent }: { agent: string }) {
  const { query: parameters } = address.value;
  const query = useDebounced(parameters.get('q')?.trim() ?? '');
  const user = useDebounced(parameters.get('user') ?? '');
  const session = useDebounced(parameters.get('session') ?? '');
  const { data, problem, refresh } = useLive(
    query === '' ? undefined : `memory:${agent}:${JSON.stringify([query, user, session])}`,
    async (client, signal) => {
      const filter = {
        ...(user !== '' && { user_id: user }),
        ...(session !== '' && { session_id: session }),
      };
      const { data: matches } = await client.memory.search(
        agent,
        { query, limit, ...(Object.keys(filter).length > 0 && { filter }) },
        { signal },
      );
      return matches;
    },
  );
  const clear = useAction(async (client) => {
    const isSure = await confirm({
      title: `Clear the memory of ${agent}?`,
      text: (
        <p>
          The memory of <strong>{agent}</strong> is deleted for all users and sessions. This cannot
          be undone. Logs and metrics are kept.
        </p>
      ),
      action: 'Clear the memory',
      confirmationText: agent,
    });
    if (!isSure) return;
    const { cleared } = await client.memory.clear(agent);
    notify(`${plural(cleared, 'entry', 'entries')} cleared.`);
    refresh();
  });
  const input = (name: string, label: string) => (
    <input
      class="input"
      type="search"
      aria-label={label}
      placeholder={label}
      value={parameters.get(name) ?? ''}
      onInput={({ currentTarget }) => {
        const change: Query = { [name]: currentTarget.value };
        setQuery(change);
      }}
    />
  );
  return (
    <>
      <div class="toolbar">
        {input('q', 'What was said ( / )')}
        {input('user', 'User id')}
        {input('session', 'Session')}
        <Button
          kind="danger"
          needs="delete"
          isBusy={clear.isRunning}
          onClick={() => void clear.run()}
        >
          Clear the memory
        </Button>
      </div>
      <ProblemPanel problem={clear.problem ?? problem} />
      {query === '' && (
        <Empty title={`Search the memory of ${agent}`}>
          Inflected and misspelt forms match too. Try a word from a conversation.
        </Empty>
      )}
      {query !== '' && !data && !problem && <Skeleton rows={5} />}
      {data?.length === 0 && (
        <Empty title="Nothing matches">Try fewer or other words, or another user or session.</Empty>
      )}
      <ol class="matches">
        {data?.map((match) => (
          <MatchView key={match.id} agent={agent} match={match} query={query} />
        ))}
      </ol>
    </>
  );
}

function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => {
      setDebounced(value);
    }, debounceMs);
    return () => {
      clearTimeout(timer);
    };
  }, [value]);
  return debounced;
}
