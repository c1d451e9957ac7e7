/** A dialog of the browser itself, which keeps the focus inside and closes with Escape. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  isWide?: boolean;
}

export function Dialog({ title, children, onClose, isWide = false }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  // Before it is seen: whoever opens it with a key may type on at once.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    element.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      class={isWide ? 'dialog wide' : 'dialog'}
      aria-labelledby={titleId}
      onClose={onClose}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
      {/* Last, so that the focus begins at what the dialog is for. */}
      <div class="dialog-close">
        <Button kind="quiet" icon="close" label="Close" onClick={onClose} />
      </div>
    </dialog>
  );
}
