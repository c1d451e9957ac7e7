/** Sets the user of the messages. */
import { setQuery } from '../../lib/router.js';

export function UserField({ user }: { user: string }) {
  return (
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
  );
}
