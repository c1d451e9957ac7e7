/** Creates a webhook, and shows its secret once. */
import { useState } from 'preact/hooks';
import { eventTypes } from '../../../src/generated/service.js';
import type { EventType } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { AgentSelect } from '../../components/agent-select.js';
import { Button } from '../../components/button.js';
import { Checks } from '../../components/checks.js';
import { Dialog } from '../../components/dialog.js';
import { Field } from '../../components/field.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { SecretDialog } from '../../components/secret-dialog.js';

const descriptions: Record<EventType, string> = {
  'agent.completed': 'an invocation succeeded',
  'agent.failed': 'an invocation failed',
  'agent.paused': 'an invocation waits for approval',
};

export function NewWebhook({ onClose }: { onClose: () => void }) {
  const [url, setUrl] = useState('');
  const [agentId, setAgentId] = useState('');
  const [events, setEvents] = useState<EventType[]>(eventTypes);
  const [secret, setSecret] = useState<string | undefined>(undefined);
  const create = useAction(async (client) => {
    const created = await client.webhooks.create({
      url: url.trim(),
      agent_id: agentId === '' ? null : agentId,
      events,
    });
    setSecret(created.secret);
  });
  if (secret !== undefined) {
    return (
      <SecretDialog
        title="Webhook created"
        onClose={onClose}
        name="secret"
        value={secret}
        use="It signs every delivery. Verify deliveries with verifyWebhook of the SDK."
      />
    );
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create.run();
        }}
      >
        <Field label="URL" hint="Must be https and reachable from the service">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              type="url"
              required
              placeholder="https://hooks.example.com/agents"
              value={url}
              onInput={({ currentTarget }) => {
                setUrl(currentTarget.value);
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
          legend="Events"
          options={eventTypes.map((value) => ({ value, hint: descriptions[value] }))}
          chosen={events}
          onChange={setEvents}
        />
        <ProblemPanel problem={create.problem} />
        <footer class="actions end">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            needs="write"
            isBusy={create.isRunning}
            isDisabled={events.length === 0}
          >
            Create
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
