/** A dialog of the browser itself, which keeps the focus inside and, unless told otherwise, closes with Escape. */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from './button.js';

interface DialogProps {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
  isWide?: boolean;
  /** For what is shown only once: Escape is pressed by mistake too easily. */
  ignoresEscape?: boolean;
}

export function Dialog({
  title,
  children,
  onClose,
  isWide = false,
  ignoresEscape = false,
}: DialogProps) {
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
  // Not the event `cancel`: browsers close a dialog that has refused it once.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (ignoresEscape && event.key === 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('keydown', onKey);
    };
  }, [ignoresEscape]);
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
