/** Who speaks, and in which session. */
import { Button } from '../../components/button.js';
import { setQuery } from '../../lib/router.js';
import { knownSessions, newSessionId, type Speaker } from './conversation.js';

export function SpeakerForm({ agent, user, session }: Speaker) {
  return (
    <div class="toolbar speaker">
      <label class="session">
        Session
        <input
          class="input"
          list="sessions"
          autocomplete="off"
          placeholder="none: each message stands alone"
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
          placeholder="nobody in particular"
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
