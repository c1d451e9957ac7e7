/** Selects the session and the user of the messages, and where the agent runs. */
import { Button } from '../../components/button.js';
import { EnvironmentSelect } from '../../components/environment-select.js';
import { setQuery } from '../../lib/router.js';
import { useDeployments } from '../agent/data.js';
import { environmentsOf, production } from '../agent/environments.js';
import { knownSessions, newSessionId, type ConversationKey } from './conversation.js';

export function SessionForm({ agent, user, session, environment }: ConversationKey) {
  const { data: deployments } = useDeployments(agent);
  return (
    <div class="toolbar session-form">
      <label>
        Environment
        <EnvironmentSelect
          environments={environmentsOf(deployments)}
          value={environment}
          onChange={(name) => {
            setQuery({ environment: name === production ? undefined : name });
          }}
        />
      </label>
      <label class="session">
        Session
        <input
          class="input"
          list="sessions"
          autocomplete="off"
          placeholder="none: messages are independent"
          maxLength={256}
          value={session}
          onChange={({ currentTarget }) => {
            setQuery({ session: currentTarget.value });
          }}
        />
        <datalist id="sessions">
          {knownSessions({ agent, environment }).map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </label>
      <label>
        User id
        <input
          class="input"
          autocomplete="off"
          placeholder="none"
          maxLength={256}
          value={user}
          onChange={({ currentTarget }) => {
            setQuery({ user: currentTarget.value });
          }}
        />
      </label>
      <Button
        onClick={() => {
          setQuery({ session: newSessionId() }, { replace: false });
        }}
      >
        New session
      </Button>
    </div>
  );
}
