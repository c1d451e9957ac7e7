/** The input for a message. Enter sends it, Shift+Enter starts a new line. */
import { useRef, useState } from 'preact/hooks';
import { may, missingPermission } from '../../api/permissions.js';
import { Button } from '../../components/button.js';

interface ComposerProps {
  agent: string;
  isRunning: boolean;
  isStopping: boolean;
  onSend: (message: string) => void;
  onStop: () => void;
}

export function Composer({ agent, isRunning, isStopping, onSend, onStop }: ComposerProps) {
  const [message, setMessage] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const send = () => {
    if (message.trim() === '' || isRunning || !may('write')) return;
    onSend(message);
    setMessage('');
    field.current?.focus();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        class="input"
        rows={2}
        aria-label={`Message to ${agent}`}
        placeholder={may('write') ? `Message to ${agent}` : missingPermission('write')}
        readOnly={!may('write')}
        value={message}
        onInput={({ currentTarget }) => {
          setMessage(currentTarget.value);
        }}
        onKeyDown={(event) => {
          // While an input method editor is open, Enter selects a character.
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      {isRunning ? (
        <Button icon="stop" isBusy={isStopping} onClick={onStop}>
          {isStopping ? 'Stopping …' : 'Stop'}
        </Button>
      ) : (
        <Button type="submit" kind="primary" icon="send" needs="write">
          Send
        </Button>
      )}
    </form>
  );
}
