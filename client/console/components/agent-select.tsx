/** Selects one of the account's agents, or all of them. */
import { useLive } from '../api/live.js';

interface AgentSelectProps {
  id?: string;
  'aria-label'?: string;
  value: string;
  /** The label of the option for all agents. */
  all: string;
  onChange: (agentId: string) => void;
}

/** A longer list would not be usable. */
const maxAgents = 500;

export function useAgentNames() {
  return useLive('agent-names', (client, signal) =>
    client.agents.list({ sort: 'name' }, { signal }).toArray({ limit: maxAgents }),
  );
}

export function AgentSelect({ value, all, onChange, ...attributes }: AgentSelectProps) {
  const { data = [] } = useAgentNames();
  return (
    <select
      {...attributes}
      class="input"
      value={value}
      onChange={({ currentTarget }) => {
        onChange(currentTarget.value);
      }}
    >
      <option value="">{all}</option>
      {data.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
