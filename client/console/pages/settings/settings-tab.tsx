/** The configuration of an agent, and its deletion. */
import { may } from '../../api/permissions.js';
import { useAction } from '../../api/action.js';
import { Button } from '../../components/button.js';
import { confirm } from '../../components/confirm.js';
import { CopyButton } from '../../components/copy-button.js';
import { withOneTimeCode } from '../../components/one-time-code.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Skeleton } from '../../components/states.js';
import { Time } from '../../components/time.js';
import { notify } from '../../components/toasts.js';
import { linkTo, navigate } from '../../lib/router.js';
import { useAgent } from '../agent/data.js';
import { DraftForm } from './draft-form.js';
import { ManifestSettings } from './manifest-settings.js';
import { ScheduleTable } from './schedule-table.js';

export function SettingsTab({ agent }: { agent: string }) {
  const { data, problem, refresh, change } = useAgent(agent);
  const remove = useAction(async (client) => {
    const isSure = await confirm({
      title: `Delete the agent ${agent}?`,
      text: (
        <p>
          <strong>{agent}</strong> is deleted with its deployments, memory, logs and webhooks, and
          the keys that are scoped to it. This cannot be undone.
        </p>
      ),
      action: 'Delete the agent',
      confirmationText: agent,
    });
    if (!isSure) return;
    await withOneTimeCode((options) => client.agents.delete(agent, options));
    notify(`The agent ${agent} was deleted.`);
    navigate(linkTo(['agents']));
  });
  if (!data) {
    return problem ? <ProblemPanel problem={problem} onRetry={refresh} /> : <Skeleton rows={5} />;
  }
  return (
    <div class="settings">
      <DraftForm
        key={data.id}
        agent={data}
        onSaved={(saved) => {
          change(() => saved);
        }}
      />
      <ScheduleTable agent={data} />
      <section class="card">
        <h2>About</h2>
        <dl class="metadata">
          <div>
            <dt>Id</dt>
            <dd>
              <code>{data.id}</code>
              <CopyButton text={() => data.id} label="Copy the id" isIconOnly />
            </dd>
          </div>
          <div>
            <dt>Created</dt>
            <dd>
              <Time at={data.created_at} />
            </dd>
          </div>
          <div>
            <dt>Changed</dt>
            <dd>
              <Time at={data.updated_at} />
            </dd>
          </div>
        </dl>
      </section>
      <ManifestSettings agent={data} />
      <section class="card danger-zone">
        <h2>Delete this agent</h2>
        <p>
          This also deletes its deployments, memory, logs and webhooks, and the keys that are scoped
          to it.
        </p>
        <Button
          kind="danger"
          needs="delete"
          isBusy={remove.isRunning}
          onClick={() => void remove.run()}
        >
          Delete {data.name}
        </Button>
        {!may('delete') && <p class="hint">This needs a key with the permission ‘delete’.</p>}
        <ProblemPanel problem={remove.problem} />
      </section>
    </div>
  );
}
