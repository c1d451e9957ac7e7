/** Shows a secret that the service returns only once. */
import { Button } from './button.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';

interface SecretDialogProps {
  title: string;
  /** Such as "key". */
  name: string;
  value: string;
  /** A sentence about its use. */
  use: string;
  onClose: () => void;
}

export function SecretDialog({ title, name, value, use, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} ignoresEscape>
      <div class="secret">
        <p>
          <strong>Store the {name} now: it is shown only once.</strong> {use}
        </p>
        <div class="secret-value">
          <code>{value}</code>
          <CopyButton text={() => value} label="Copy" />
        </div>
      </div>
      <footer class="actions end">
        <Button kind="primary" onClick={onClose}>
          I have stored it
        </Button>
      </footer>
    </Dialog>
  );
}
