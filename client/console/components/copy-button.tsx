/** Copies a text, or shows it for copying where the browser does not let a page do it. */
import { useState } from 'preact/hooks';
import { copyText } from '../lib/clipboard.js';
import { Button } from './button.js';
import { Dialog } from './dialog.js';
import { notify } from './toasts.js';

interface CopyButtonProps {
  text: () => string;
  label: string;
  isIconOnly?: boolean;
}

export function CopyButton({ text, label, isIconOnly = false }: CopyButtonProps) {
  const [toCopy, setToCopy] = useState<string | undefined>(undefined);
  const copy = async () => {
    if (await copyText(text())) notify('Copied.');
    else setToCopy(text());
  };
  return (
    <>
      {isIconOnly ? (
        <Button kind="quiet" icon="copy" label={label} onClick={() => void copy()} />
      ) : (
        <Button kind="quiet" icon="copy" onClick={() => void copy()}>
          {label}
        </Button>
      )}
      {toCopy !== undefined && (
        <Dialog
          title="Copy this"
          onClose={() => {
            setToCopy(undefined);
          }}
        >
          <textarea class="input code" readOnly rows={6} aria-label="Text to copy" value={toCopy} />
        </Dialog>
      )}
    </>
  );
}
