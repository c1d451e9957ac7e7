/** Copies a text, or shows it if the browser does not allow pages to copy. */
import { useState } from 'preact/hooks';
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

/** Returns false if the browser does not allow it, as on pages loaded over plain http from another machine. */
async function copyText(text: string): Promise<boolean> {
  if (!window.isSecureContext) return false;
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
