/** The keys of the account: their permissions, expiry and last use. */
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
          (<code>{preview}</code>) stops working within a second. This cannot be undone.
          {isOwn && ' You are signed in with this key and will be signed out.'}
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
    if (isOwn) endSession('You revoked the key that you were signed in with.');
    else notify('The key was revoked.');
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
