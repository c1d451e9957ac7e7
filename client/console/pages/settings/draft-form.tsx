/** Edits the draft, which takes effect with the next deployment. */
import { useMemo, useState } from 'preact/hooks';
import type { Agent, AgentUpdate } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { may } from '../../api/permissions.js';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { withOneTimeCode } from '../../components/one-time-code.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { notify } from '../../components/toasts.js';
import { linkTo } from '../../lib/router.js';
import { activeInProduction, useDeployments } from '../agent/data.js';
import { draft } from '../agent/environments.js';
import { DifferenceList } from '../deployments/difference-list.js';
import { differencesBetween } from '../deployments/differences.js';

interface DraftFormProps {
  agent: Agent;
  onSaved: (agent: Agent) => void;
}

export function DraftForm({ agent, onSaved }: DraftFormProps) {
  // Only the edited fields: the others show the stored values and are not sent.
  const [edits, setEdits] = useState<AgentUpdate>({});
  const { model, temperature, instructions } = { ...agent, ...edits };
  const edit = (change: AgentUpdate) => {
    setEdits({ ...edits, ...change });
  };
  const changes: AgentUpdate = {
    ...(model.trim() !== agent.model && { model: model.trim() }),
    ...(temperature !== agent.temperature && { temperature }),
    ...(instructions !== agent.instructions && { instructions }),
  };
  const isChanged = Object.keys(changes).length > 0;
  const { data: deployments = [] } = useDeployments(agent.name);
  const models = [...new Set(deployments.map((deployment) => deployment.model))];
  const save = useAction(async (client) => {
    const saved = await withOneTimeCode((options) =>
      client.agents.update(agent.id, changes, options),
    );
    notify('The draft was saved.');
    setEdits({});
    onSaved(saved);
  });
  return (
    <form
      class="card draft-form"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <h2>Draft configuration</h2>
      <p class="hint">
        {agent.active_deployment_id === null ? (
          'Nothing is deployed yet, so changes to the draft take effect at once.'
        ) : (
          <>
            Changes take effect with the{' '}
            <a href={linkTo(['agents', agent.name, 'deployments'])}>next deployment</a>.
          </>
        )}
      </p>
      <Field label="Model" hint="provider/name, such as anthropic/claude-sonnet-4-5">
        {(attributes) => (
          <input
            {...attributes}
            class="input code"
            list="models"
            required
            readOnly={!may('write')}
            value={model}
            onInput={({ currentTarget }) => {
              edit({ model: currentTarget.value });
            }}
          />
        )}
      </Field>
      <datalist id="models">
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Temperature" hint="From 0 (least variation) to 2 (most)">
        {(attributes) => (
          <input
            {...attributes}
            class="input number"
            type="number"
            min={0}
            max={2}
            step="any"
            required
            readOnly={!may('write')}
            value={temperature}
            onInput={({ currentTarget }) => {
              edit({ temperature: currentTarget.valueAsNumber });
            }}
          />
        )}
      </Field>
      <Field label="Instructions" hint="The system prompt, in up to 100,000 characters">
        {(attributes) => (
          <textarea
            {...attributes}
            class="input code"
            rows={12}
            readOnly={!may('write')}
            value={instructions}
            onInput={({ currentTarget }) => {
              edit({ instructions: currentTarget.value });
            }}
          />
        )}
      </Field>
      <ProblemPanel problem={save.problem} />
      <div class="actions">
        <Button
          type="submit"
          kind="primary"
          needs="write"
          isBusy={save.isRunning}
          isDisabled={!isChanged || Number.isNaN(temperature)}
        >
          Save the draft
        </Button>
        <a
          class="button plain"
          href={linkTo(['agents', agent.name, 'chat'], { environment: draft })}
          title={isChanged ? 'Without the changes that are not saved' : undefined}
        >
          {isChanged ? 'Try the saved draft' : 'Try the draft'}
        </a>
      </div>
      <DraftComparison agent={agent} />
    </form>
  );
}

/** Compares the stored draft with the active deployment. */
function DraftComparison({ agent }: { agent: Agent }) {
  const { data } = useDeployments(agent.name);
  const active = data && activeInProduction(data);
  const differences = useMemo(
    () => (active ? differencesBetween(active, agent) : []),
    [active, agent],
  );
  if (!active) return null;
  return (
    <section class="draft-comparison" aria-label="Differences from the active deployment">
      <h3>
        {differences.length === 0
          ? `The saved draft is identical to version ${active.version}`
          : `The saved draft differs from the active version ${active.version}`}
      </h3>
      {differences.length > 0 && <DifferenceList differences={differences} />}
    </section>
  );
}
