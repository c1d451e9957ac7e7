/** Selects the session and the user of the messages, and where the agent runs. */
import { Button } from '../../components/button.js';
import { EnvironmentSelect } from '../../components/environment-select.js';
import { setQuery } from '../../lib/router.js';
import { useDeployments } from '../agent/data.js';
import { environmentsOf, production } from '../agent/environments.js';
import { CompareButton } from './comparison-form.js';
import { knownSessions, newSessionId, type ConversationKey } from './conversation.js';
import { UserField } from './user-field.js';

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
      <UserField user={user} />
      <div class="actions end">
        <Button
          onClick={() => {
            setQuery({ session: newSessionId() }, { replace: false });
          }}
        >
          New session
        </Button>
        <CompareButton />
      </div>
    </div>
  );
}
