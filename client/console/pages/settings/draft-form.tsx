/** Changes the draft, which answers after the next deployment. */
import { useState } from 'preact/hooks';
import type { Agent } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { may } from '../../api/permissions.js';
import { Button } from '../../components/button.js';
import { Field } from '../../components/field.js';
import { withOneTimeCode } from '../../components/one-time-code.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { notify } from '../../components/toasts.js';
import { linkTo } from '../../lib/router.js';
import { useDeployments } from '../agent/data.js';

interface DraftFormProps {
  agent: Agent;
  onSaved: (agent: Agent) => void;
}

export function DraftForm({ agent, onSaved }: DraftFormProps) {
  const [model, setModel] = useState(agent.model);
  const [temperature, setTemperature] = useState(agent.temperature);
  const { data: deployments = [] } = useDeployments(agent.name);
  const models = [...new Set(deployments.map((deployment) => deployment.model))];
  const isChanged = model !== agent.model || temperature !== agent.temperature;
  const save = useAction(async (client) => {
    const saved = await withOneTimeCode((options) =>
      client.agents.update(agent.id, { model: model.trim(), temperature }, options),
    );
    notify('The draft is saved.');
    onSaved(saved);
  });
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void save.run();
      }}
    >
      <h2>Draft configuration</h2>
      <p class="hint">
        {agent.active_deployment_id === null ? (
          'Nothing is deployed yet, so the draft answers: a change takes effect at once.'
        ) : (
          <>
            A deployment answers. A change takes effect with the{' '}
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
              setModel(currentTarget.value);
            }}
          />
        )}
      </Field>
      <datalist id="models">
        {models.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <Field label="Temperature" hint="0: as little variation as possible, 2: as much">
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
              setTemperature(currentTarget.valueAsNumber);
            }}
          />
        )}
      </Field>
      <ProblemPanel problem={save.problem} />
      <Button
        type="submit"
        kind="primary"
        needs="write"
        isBusy={save.isRunning}
        isDisabled={!isChanged || Number.isNaN(temperature)}
      >
        Save the draft
      </Button>
    </form>
  );
}
