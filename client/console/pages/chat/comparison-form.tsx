/** Selects the two environments of a comparison, and whose message it is. */
import { Button } from '../../components/button.js';
import { EnvironmentSelect } from '../../components/environment-select.js';
import { address, setQuery } from '../../lib/router.js';
import { useDeployments } from '../agent/data.js';
import { environmentsOf } from '../agent/environments.js';
import { type Pair, pairOf, queryOf, replaceIn } from './comparison.js';
import { UserField } from './user-field.js';

interface ComparisonFormProps {
  agent: string;
  user: string;
  pair: Pair;
}

export function ComparisonForm({ agent, user, pair }: ComparisonFormProps) {
  const { data: deployments } = useDeployments(agent);
  const select = (side: 0 | 1, label: string) => (
    <label>
      {label}
      <EnvironmentSelect
        environments={environmentsOf(deployments)}
        value={pair[side]}
        onChange={(chosen) => {
          setQuery(queryOf(replaceIn(pair, side, chosen)));
        }}
      />
    </label>
  );
  return (
    <div class="toolbar session-form">
      {select(0, 'Environment')}
      {select(1, 'Compared with')}
      <UserField user={user} />
      <div class="actions end">
        <CompareButton />
      </div>
    </div>
  );
}

/** Leads from the chat to the comparison, and back. */
export function CompareButton() {
  const { query } = address.value;
  const isComparing = query.has('compare');
  return (
    <Button
      isPressed={isComparing}
      onClick={() => {
        setQuery(isComparing ? { compare: '' } : queryOf(pairOf(query)), { replace: false });
      }}
    >
      Compare
    </Button>
  );
}
