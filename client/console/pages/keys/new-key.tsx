/** Creates a key, and shows it once. */
import { useState } from 'preact/hooks';
import { permissions } from '../../../src/generated/service.js';
import type { Permission } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { may, ownKey } from '../../api/permissions.js';
import { AgentSelect } from '../../components/agent-select.js';
import { Button } from '../../components/button.js';
import { Checks } from '../../components/checks.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { SecretDialog } from '../../components/secret-dialog.js';

const descriptions: Record<Permission, string> = {
  read: 'see agents, deployments, logs, metrics, memory, webhooks',
  write: 'invoke, update, deploy, roll back, create webhooks',
  delete: 'delete agents, memory, webhooks',
  manage: 'create, list and revoke keys',
};

/** In days. */
const lifetimes = { '7': 'In 7 days', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' };

const dayMs = 86_400_000;

export function NewKey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [agentId, setAgentId] = useState('');
  const [chosen, setChosen] = useState<Permission[]>(['read']);
  const ownExpiry = ownKey.value?.expires_at ?? null;
  const [days, setDays] = useState(ownExpiry === null ? '90' : '');
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const create = useAction(async (client) => {
    const created = await client.keys.create({
      name: name.trim(),
      agent_id: agentId === '' ? null : agentId,
      permissions: chosen,
      // By default it expires with the key that creates it.
      ...(days !== '' && {
        expires_at: new Date(Date.now() + Number(days) * dayMs).toISOString(),
      }),
    });
    setSecret(created.key);
  });
  if (secret !== undefined) {
    return (
      <SecretDialog
        title="Key created"
        onClose={onClose}
        name="key"
        value={secret}
        use="Programs send it as a bearer token."
      />
    );
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label="Name" hint="For example, the program that uses it">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              required
              maxLength={100}
              value={name}
              onInput={({ currentTarget }) => {
                setName(currentTarget.value);
              }}
            />
          )}
        </Field>
        <Field label="Agent">
          {(attributes) => (
            <AgentSelect {...attributes} all="All agents" value={agentId} onChange={setAgentId} />
          )}
        </Field>
        <Checks
          legend="Permissions"
          options={permissions.map((value) => ({
            value,
            hint: may(value) ? descriptions[value] : 'your own key does not have it',
            isDisabled: !may(value),
          }))}
          chosen={chosen}
          onChange={setChosen}
        />
        <Field label="Expires">
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={days}
              onChange={({ currentTarget }) => {
                setDays(currentTarget.value);
              }}
            >
              {Object.entries(lifetimes).map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
              <option value="">{ownExpiry === null ? 'Never' : 'With the key in use'}</option>
            </select>
          )}
        </Field>
        <ProblemPanel problem={create.problem} />
        <footer class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            needs="manage"
            isBusy={create.isRunning}
            isDisabled={chosen.length === 0}
          >
            Create
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
