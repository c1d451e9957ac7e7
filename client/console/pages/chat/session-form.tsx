/** Selects the session and the user of the messages. */
import { Button } from '../../components/button.js';
import { setQuery } from '../../lib/router.js';
import { knownSessions, newSessionId, type ConversationKey } from './conversation.js';

export function SessionForm({ agent, user, session }: ConversationKey) {
  return (
    <div class="toolbar session-form">
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
          {knownSessions(agent).map((id) => (
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
