/** Deploys the draft under a version. */
import { useState } from 'preact/hooks';
import type { Agent, AgentHosting, Deployment } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { Button } from '../../components/button.js';
import { confirm } from '../../components/confirm.js';
import { Field } from '../../components/field.js';
import { withOneTimeCode } from '../../components/one-time-code.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { notify } from '../../components/toasts.js';
import { DifferenceList } from './difference-list.js';
import { differencesBetween, nextVersion } from './differences.js';

interface DeployFormProps {
  agent: Agent;
  deployments: Deployment[];
  onDeployed: () => void;
}

export function DeployForm({ agent, deployments, onDeployed }: DeployFormProps) {
  const [environment, setEnvironment] = useState('production');
  const here = deployments.filter((deployment) => deployment.environment === environment);
  const active = here.find(({ status }) => status === 'active');
  const [typed, setTyped] = useState<string | undefined>(undefined);
  const version = typed ?? nextVersion(here[0]?.version);
  const deploy = useAction(async (client) => {
    if (environment === 'production' && !(await isSure(client, agent, version))) return;
    const created = await withOneTimeCode((options) =>
      client.deployments.create(agent.id, { environment, version }, options),
    );
    notify(`Version ${created.version} is active in ${created.environment}.`);
    setTyped(undefined);
    onDeployed();
  });
  return (
    <form
      class="card deploy-form"
      onSubmit={(event) => {
        event.preventDefault();
        void deploy.run();
      }}
    >
      <h2>Deploy the draft</h2>
      <div class="toolbar">
        <Field label="Environment">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              list="environments"
              required
              value={environment}
              onInput={({ currentTarget }) => {
                setEnvironment(currentTarget.value);
              }}
            />
          )}
        </Field>
        <datalist id="environments">
          {[...new Set(['production', ...deployments.map((one) => one.environment)])].map(
            (name) => (
              <option key={name} value={name} />
            ),
          )}
        </datalist>
        <Field label="Version">
          {(attributes) => (
            <input
              {...attributes}
              class="input"
              required
              maxLength={64}
              value={version}
              onInput={({ currentTarget }) => {
                setTyped(currentTarget.value);
              }}
            />
          )}
        </Field>
        <Button type="submit" kind="primary" needs="write" isBusy={deploy.isRunning}>
          Deploy
        </Button>
      </div>
      <div class="hint">
        {active ? (
          <>
            Compared with the active {active.version}:{' '}
            <DifferenceList differences={differencesBetween(active, agent)} />
          </>
        ) : (
          `Nothing is active in ${environment || 'this environment'} yet.`
        )}
      </div>
      <ProblemPanel problem={deploy.problem} />
    </form>
  );
}

/** Compares the stored configurations, since the page may show an outdated draft. */
async function isSure(client: AgentHosting, { id, name }: Agent, version: string) {
  const query = { environment: 'production', status: 'active', limit: 1 } as const;
  const [draft, { data }] = await Promise.all([
    client.agents.get(id),
    client.deployments.list(id, query).page(),
  ]);
  const [active] = data;
  return confirm({
    title: `Deploy version ${version} to production?`,
    text: (
      <>
        <p>
          The draft will answer the invocations of <strong>{name}</strong>
          {active ? (
            <>
              , in place of version <strong>{active.version}</strong>. Changes:
            </>
          ) : (
            ', as it does now. Later changes to the draft need another deployment.'
          )}
        </p>
        {active && <DifferenceList differences={differencesBetween(active, draft)} />}
      </>
    ),
    action: `Deploy ${version}`,
  });
}
