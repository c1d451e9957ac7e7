/** The keys of the account: who may do what, until when, and when each was last used. */
import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { useLive } from '../../api/live.js';
import { may, ownKey } from '../../api/permissions.js';
import { endSession } from '../../api/session.js';
import { Button } from '../../components/button.js';
import { confirm } from '../../components/confirm.js';
import { Page } from '../../components/page.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, NotAllowed, Skeleton } from '../../components/states.js';
import { Text } from '../../components/text.js';
import { notify } from '../../components/toasts.js';
import { KeyTable } from './key-table.js';
import { NewKey } from './new-key.js';

const limit = 100;

export function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const { data, problem, refresh, change } = useLive(
    may('manage') ? 'keys' : undefined,
    async (client, signal) => (await client.keys.list({ limit }, { signal })).data,
    { everyMs: 15_000 },
  );
  const revoke = useAction<ApiKey>(async (client, { id, name, preview }) => {
    const isOwn = ownKey.value?.id === id;
    const isSure = await confirm({
      title: 'Revoke this key?',
      text: (
        <p>
          <strong>
            <Text>{name}</Text>
          </strong>{' '}
          (<code>{preview}</code>) stops working within a second, for good.
          {isOwn && ' It is the key that you are signed in with: you will be signed out.'}
        </p>
      ),
      action: 'Revoke the key',
    });
    if (!isSure) return;
    change((keys) => keys.filter((key) => key.id !== id));
    try {
      await client.keys.revoke(id);
    } catch (error) {
      refresh();
      throw error;
    }
    if (isOwn) endSession('You have revoked the key that you were signed in with.');
    else notify('The key is revoked.');
  });
  return (
    <Page
      title="Keys"
      actions={
        <Button
          kind="primary"
          needs="manage"
          onClick={() => {
            setCreating(true);
          }}
        >
          New key
        </Button>
      }
    >
      {!may('manage') && <NotAllowed permission="manage" what="see keys" />}
      <ProblemPanel problem={revoke.problem ?? problem} onRetry={refresh} />
      {may('manage') && !data && !problem && <Skeleton />}
      {data?.length === 0 && (
        <Empty title="No keys">Create one for each program that uses the API.</Empty>
      )}
      {data && data.length > 0 && <KeyTable keys={data} onRevoke={(key) => void revoke.run(key)} />}
      {isCreating && (
        <NewKey
          onClose={() => {
            setCreating(false);
            refresh();
          }}
        />
      )}
    </Page>
  );
}
