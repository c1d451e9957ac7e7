/** Deployments, newest first, with their differences from the active one in their environment. */
import type { Deployment } from '../../../src/index.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { DataTable, type Column } from '../../components/data-table.js';
import { Time } from '../../components/time.js';
import { DifferenceList } from './difference-list.js';
import { differencesBetween } from './differences.js';

interface DeploymentTableProps {
  deployments: Deployment[];
  isBusy: boolean;
  onRollBack: (deployment: Deployment) => void;
  onLoad: (deployment: Deployment) => void;
}

export function DeploymentTable({ deployments, isBusy, onRollBack, onLoad }: DeploymentTableProps) {
  const columns: Column<Deployment>[] = [
    { title: 'Version', kind: 'name', cell: ({ version }) => version },
    { title: 'Environment', cell: ({ environment }) => environment },
    { title: 'Status', cell: ({ status }) => <Badge state={status} /> },
    {
      title: 'Differs from the active one',
      cell: (deployment) => <Comparison deployment={deployment} all={deployments} />,
    },
    { title: 'Activated', cell: ({ activated_at }) => <Time at={activated_at} /> },
    {
      title: 'Actions',
      kind: 'actions',
      cell: (deployment) => (
        <>
          <Button
            needs="write"
            isBusy={isBusy}
            hint="Load this version into the draft"
            onClick={() => {
              onLoad(deployment);
            }}
          >
            Load into the draft
          </Button>
          {deployment.status === 'active' && deployment.replaced_deployment_id !== null && (
            <Button
              needs="write"
              isBusy={isBusy}
              onClick={() => {
                onRollBack(deployment);
              }}
            >
              Roll back
            </Button>
          )}
        </>
      ),
    },
  ];
  return (
    <DataTable label="Deployments" columns={columns} items={deployments} idOf={({ id }) => id} />
  );
}

function Comparison({ deployment, all }: { deployment: Deployment; all: Deployment[] }) {
  const active = all.find(
    ({ environment, status }) => environment === deployment.environment && status === 'active',
  );
  if (!active || active === deployment) {
    return (
      <span>
        <code>{deployment.model}</code> <span class="muted">at {deployment.temperature}</span>
      </span>
    );
  }
  return <DifferenceList differences={differencesBetween(active, deployment)} isCompact />;
}
