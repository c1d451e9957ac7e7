/** The deployments of an agent, with rollback. */
import type { Deployment } from '../../../src/index.js';
import { useAction } from '../../api/action.js';
import { confirm } from '../../components/confirm.js';
import { withOneTimeCode } from '../../components/one-time-code.js';
import { ProblemPanel } from '../../components/problem-panel.js';
import { Empty, Skeleton } from '../../components/states.js';
import { notify } from '../../components/toasts.js';
import { useAgent, useDeployments } from '../agent/data.js';
import { DeployForm } from './deploy-form.js';
import { DeploymentTable } from './deployment-table.js';
import { DifferenceList } from './difference-list.js';
import { differencesBetween, loadedDraft } from './differences.js';

export function DeploymentsTab({ agent }: { agent: string }) {
  const found = useAgent(agent);
  const { data, problem, refresh } = useDeployments(agent);
  const refreshAll = () => {
    refresh();
    found.refresh();
  };
  const rollBack = useAction<Deployment>(async (client, { id, version, environment, ...rest }) => {
    const replaced = data?.find((one) => one.id === rest.replaced_deployment_id);
    const isSure = await confirm({
      title: `Roll back version ${version}?`,
      text: (
        <p>
          Version <strong>{version}</strong> of <strong>{agent}</strong> stops answering in{' '}
          {environment}
          {replaced ? (
            <>
              , and <strong>{replaced.version}</strong> is active again
            </>
          ) : (
            ', and the deployment that it replaced is active again'
          )}
          . A version that was rolled back cannot be activated again; deploy it under a new label.
        </p>
      ),
      action: `Roll back ${version}`,
    });
    if (!isSure) return;
    const active = await withOneTimeCode((options) =>
      client.deployments.rollback(agent, id, options),
    );
    notify(`Version ${active.version} is active in ${active.environment} again.`);
    refreshAll();
  });
  const load = useAction<Deployment>(async (client, deployment) => {
    const draft = await client.agents.get(agent);
    const loaded = loadedDraft(draft, deployment);
    const { version } = deployment;
    const isSure = await confirm({
      title: `Load version ${version} into the draft?`,
      text: (
        <>
          <p>
            The draft of <strong>{agent}</strong> gets the model, the temperature and the
            instructions of version <strong>{version}</strong>. Its other settings stay as the
            manifest sets them. Changes:
          </p>
          <DifferenceList differences={differencesBetween(draft, { ...draft, ...loaded })} />
        </>
      ),
      action: `Load ${version}`,
    });
    if (!isSure) return;
    if (Object.keys(loaded).length > 0) {
      await withOneTimeCode((options) => client.agents.update(draft.id, loaded, options));
    }
    notify(`The draft has the model, temperature and instructions of version ${version}.`);
    refreshAll();
  });
  if (!data || !found.data) {
    return problem ? <ProblemPanel problem={problem} onRetry={refresh} /> : <Skeleton rows={5} />;
  }
  return (
    <>
      <DeployForm agent={found.data} deployments={data} onDeployed={refreshAll} />
      <ProblemPanel problem={rollBack.problem ?? load.problem ?? problem} />
      {data.length === 0 ? (
        <Empty title="Nothing is deployed yet">
          Until the first deployment the draft answers. A deployment freezes the draft under a
          version; later changes take effect with the next deployment.
        </Empty>
      ) : (
        <DeploymentTable
          deployments={data}
          isBusy={rollBack.isRunning || load.isRunning}
          onRollBack={(deployment) => void rollBack.run(deployment)}
          onLoad={(deployment) => void load.run(deployment)}
        />
      )}
    </>
  );
}
